package dev.tutti.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.train.run.RunObserver;
import dev.tutti.train.run.RunState;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./tutti train --detach}, and {@code ./tutti status} of a run in one JVM. */
@Timeout(120)
class DetachedTrainTest {
    @TempDir
    private Path folder;

    private final Terminal terminal = new Terminal();

    @Test
    void aDetachedRunIsLookedAtThroughItsFolder() throws IOException {
        String run = folder.resolve("run").toString();
        assertThat(terminal.run("train", SmallJob.write(folder).toString(), "--detach"))
                .isZero();
        assertThat(terminal.out()).contains("./tutti status " + run);
        assertThat(RunObserver.of(Path.of(run)).await(Duration.ofSeconds(90)).state())
                .isEqualTo(RunState.COMPLETED);
        assertThat(terminal.run("status", run)).isZero();
        assertThat(terminal.out()).contains("completed, epoch 1 of 1, step 16");
        assertThat(terminal.run("status", run, "--json")).isZero();
        assertThat(terminal.json().at("/state").asText()).isEqualTo("COMPLETED");
        assertThat(terminal.run("evaluate", run)).isZero();
    }

    @Test
    void aTimelineBelongsToThisProcess() throws IOException {
        assertThat(terminal.run(
                        "train",
                        SmallJob.write(folder).toString(),
                        "--detach",
                        "--trace",
                        folder.resolve("t").toString()))
                .isEqualTo(2);
        assertThat(terminal.err()).contains("--trace and --detach do not go together");
    }
}
