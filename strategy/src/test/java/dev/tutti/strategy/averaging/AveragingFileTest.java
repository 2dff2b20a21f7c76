package dev.tutti.strategy.averaging;

import static dev.tutti.strategy.Strategies.averaging;
import static dev.tutti.strategy.averaging.OuterOptimizer.nesterov;
import static dev.tutti.strategy.averaging.Weights.bySamples;
import static dev.tutti.strategy.averaging.Weights.locallyWeighted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.data.Position;
import dev.tutti.json.ConfigException;
import dev.tutti.json.Json;
import dev.tutti.train.TrainingException;
import dev.tutti.train.feed.UsedChunks;
import dev.tutti.train.job.JobFile;
import dev.tutti.train.job.ReadyJob;
import dev.tutti.train.replica.Strategy;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Averaging in files. */
@Timeout(60)
class AveragingFileTest {
    @Test
    void isWrittenAndReadBackAsTheSame() {
        for (Averaging strategy : List.of(
                averaging(),
                averaging().everySteps(32).weights(bySamples()).outer(nesterov(0.5, 0.8)),
                averaging()
                        .everyEpoch()
                        .averageOptimizerState()
                        .weights(locallyWeighted().loss(3).labels(false).validation(0.25)))) {
            String text = Json.writeYaml(strategy);
            Strategy read = Json.readYaml(text, Strategy.class, "here");
            assertThat(Json.writeYaml(read)).isEqualTo(text);
            assertThat(read).hasToString(strategy.toString());
        }
    }

    @Test
    void standsInAJob() {
        JobFile job = JobFile.of(
                "strategy: {type: averaging, everySteps: 32, weights: samples, outer: {type: nesterov, rate: 0.6}}",
                "here",
                "x");
        assertThat(job.job().strategy())
                .hasToString("averaging().everySteps(32).weights(bySamples()).outer(nesterov(0.6, 0.9))");
        assertThat(JobFile.of("strategy: averaging", "here", "x").job().strategy())
                .hasToString("averaging().everySteps(16)");
        Averaging local = (Averaging)
                JobFile.of("strategy: {type: averaging, weights: {type: locallyWeighted, distance: 0}}", "here", "x")
                        .job()
                        .strategy();
        assertThat(local.weights().needs()).isEqualTo(new Weights.Needs(0.1, false, true, false));
    }

    @Test
    void whatIsWrongIsNamed() {
        assertThatThrownBy(() -> JobFile.of("strategy: {type: averaging, weights: sample}", "here", "x"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("unknown weights 'sample'")
                .hasMessageContaining("did you mean 'samples'");
        assertThatThrownBy(() -> JobFile.of("strategy: {type: averaging, everyStep: 3}", "here", "x"))
                .hasMessageContaining("unknown key 'everyStep'");
        JobFile mnist = JobFile.builtIn("mnist");
        assertThatThrownBy(() -> ReadyJob.check(
                        mnist.set("strategy.type", "averaging", "--a").set("strategy.everySteps", "0", "--b")))
                .hasMessageContaining("averaging: everySteps must be at least 1, received 0");
        assertThatThrownBy(
                        () -> Json.readYaml("{type: averaging, everySteps: 2, everyEpoch: true}", Strategy.class, "x")
                                .validate())
                .isInstanceOf(TrainingException.class)
                .hasMessage("averaging: give one of everySteps and everyEpoch, received everySteps 2 and everyEpoch");
        assertThatThrownBy(
                        () -> Json.readYaml("{type: averaging, outer: {type: nesterov, rate: 0}}", Strategy.class, "x")
                                .validate())
                .hasMessage("nesterov: rate must be above 0 and finite, received 0.0");
    }

    @Test
    void aPositionSaysWhichChunksWereUsed() {
        BitSet used = new BitSet();
        used.set(0, 5);
        used.set(7);
        Position position = new UsedChunks(36, used).position(3);
        Position read = Json.read(Json.write(position), Position.class, "here");
        assertThat(UsedChunks.at(read)).isEqualTo(new UsedChunks(36, used));
        assertThatThrownBy(() -> UsedChunks.at(Position.behind(3, 12)))
                .isInstanceOf(TrainingException.class)
                .hasMessageContaining("in the middle of epoch 4 of a run under another strategy");
    }
}
