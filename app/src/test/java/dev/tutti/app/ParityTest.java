package dev.tutti.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tutti.comm.Team;
import dev.tutti.json.Json;
import dev.tutti.nn.Model;
import dev.tutti.optim.Optimizers;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.profile.Timing;
import dev.tutti.train.replica.Replica;
import dev.tutti.train.replica.Strategy;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whether a job and one worker agree is said in words, as JSON and as an exit code. */
@Timeout(120)
class ParityTest {
    @TempDir
    private Path folder;

    private final Terminal terminal = new Terminal();
    private String job;

    @BeforeEach
    void writeJob() throws IOException {
        job = SmallJob.write(folder).toString();
    }

    @Test
    void threadsAgreeWithOneWorker() {
        assertThat(terminal.run("parity", job, "--cluster", "{type: threads, workers: 2}", "--steps", "12"))
                .as(terminal.err())
                .isZero();
        assertThat(terminal.out())
                .contains("allReduce() on threads(2)", "dropout was switched off in both (1 layer)")
                .contains("agrees after 12 steps, 384 samples");
        assertThat(folder.resolve("run")).as("nothing is saved").doesNotExist();
    }

    @Test
    void theAnswerIsOneObject() {
        assertThat(terminal.run("parity", job, "--workers", "3", "--json"))
                .as(terminal.err())
                .isZero();
        JsonNode answer = terminal.json();
        assertThat(answer.path("agrees").asBoolean()).isTrue();
        assertThat(answer.path("steps").asInt()).isEqualTo(16);
        assertThat(answer.path("parameters").path("relative").asDouble()).isBetween(0.0, 1e-4);
        assertThat(answer.path("losses").path("absolute").asDouble()).isLessThan(1e-4);
        assertThat(answer.path("notes").toString()).contains("the job has 16 steps, fewer than the 100 asked for");
    }

    @Test
    void whatDiffersIsSaidAndHasACodeOfItsOwn() {
        Json.register(Careless.class, "careless");
        assertThat(terminal.run("parity", job, "--strategy", "careless", "--steps", "8"))
                .as(terminal.err())
                .isEqualTo(8);
        assertThat(terminal.out()).contains("rounding", "careless() is not exact by nature", "differs after 8 steps");
    }

    @Test
    void oneWorkerHasNothingToBeComparedWith() {
        assertThat(terminal.run("parity", job)).isEqualTo(3);
        assertThat(terminal.err()).contains("there is nothing to compare: the job trains on one worker");
    }

    @Test
    void whatIsWrongIsSaidFirst() {
        assertThat(terminal.run("parity", job, "--workers", "2", "--steps", "0"))
                .isEqualTo(2);
        assertThat(terminal.err()).startsWith("--steps 0: expected 1 or more");
        assertThat(terminal.run("parity", job, "--workers", "2", "--set", "batch=0"))
                .isEqualTo(3);
        assertThat(terminal.err()).contains("--set batch=0: batch: expected 1 or more");
    }

    /** Goes another way than it was told, if only by a little. */
    static final class Careless implements Strategy {
        @Override
        public Replica replica(Model model, TrainingConfig recipe, Team team, Timing timing) {
            TrainingConfig other = new TrainingConfig(
                    Optimizers.sgd(0.2), recipe.loss(), recipe.metrics(), recipe.movingAverage(), recipe.seed());
            return Strategy.local().replica(model, other, team, timing);
        }

        @Override
        public boolean exact() {
            return false;
        }

        @Override
        public String toString() {
            return "careless()";
        }
    }
}
