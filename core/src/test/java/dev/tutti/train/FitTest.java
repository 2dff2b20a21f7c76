package dev.tutti.train;

import static dev.tutti.train.Fit.epochs;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.json.Json;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Callbacks;
import dev.tutti.train.callback.ProgressBar;
import dev.tutti.train.replica.Strategy;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class FitTest {
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(written, true, StandardCharsets.UTF_8);

    @Test
    void aTerminalShowsProgressByDefault() {
        try (Trainer trainer = Blobs.trainer()) {
            trainer.fit(Blobs.data(60).batch(10), epochs(2).showingProgress(true, out));
        }
        assertThat(written.toString(StandardCharsets.UTF_8)).contains("epoch 1/2", "epoch 2/2");
    }

    @Test
    void nothingIsShownElsewhereOrWhereItIsNotWanted() {
        Callback own = new ProgressBar(out, false);
        assertThat(epochs(1).showingProgress(false, out).callbacks()).isEmpty();
        assertThat(epochs(1).quiet().showingProgress(true, out).callbacks()).isEmpty();
        assertThat(epochs(1).callbacks(own).showingProgress(true, out).callbacks())
                .containsExactly(own);
    }

    @Test
    void callbacksSayWhereTheirCheckpointsAre() {
        Path saved = Path.of("saved");
        Path before = Path.of("before");
        assertThat(epochs(1)
                        .callbacks(Callbacks.stopOnNan(), Callbacks.checkpoint(saved))
                        .resume(before)
                        .checkpointFolders())
                .containsExactly(saved, before);
    }

    @Test
    void whatAllMembersHaveInCommonTravels() {
        Fit fit = epochs(4)
                .accumulate(2)
                .with(Strategy.local())
                .callbacks(Callbacks.stopOnNan())
                .resume(Path.of("x"));
        Fit read = Json.read(Json.write(fit), Fit.class, "fit");
        assertThat(read.epochs()).isEqualTo(4);
        assertThat(read.accumulate()).isEqualTo(2);
        assertThat(read.strategy()).hasToString("local()");
        assertThat(read.callbacks()).isEmpty();
        assertThat(read.resumeFrom()).isEmpty();
        assertThat(read.validation()).isEmpty();
    }
}
