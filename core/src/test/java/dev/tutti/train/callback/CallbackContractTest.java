package dev.tutti.train.callback;

import static dev.tutti.train.Fit.epochs;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.train.Blobs;
import dev.tutti.train.EpochResult;
import dev.tutti.train.History;
import dev.tutti.train.Trainer;
import dev.tutti.train.TrainingException;
import dev.tutti.train.checkpoint.SavedModel;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CallbackContractTest {
    @TempDir
    private Path folder;

    /** Every callback, listed once: what is made in a folder. */
    static Stream<Function<Path, Callback>> callbacks() {
        return Stream.of(
                dir -> Callbacks.progress(silent(), false),
                dir -> Callbacks.progress(silent(), true),
                dir -> Callbacks.checkpoint(dir.resolve("checkpoints")),
                dir -> Callbacks.earlyStopping("loss", 2),
                dir -> Callbacks.bestModel(dir.resolve("best"), "accuracy"),
                dir -> Callbacks.tensorBoard(dir.resolve("board")),
                dir -> Callbacks.csv(dir.resolve("log.csv")),
                dir -> Callbacks.learningRateLog(),
                dir -> Callbacks.stopOnNan(),
                dir -> new Own());
    }

    /** A user's own. */
    private static final class Own implements Callback {
        private double steps;

        @Override
        public void step(Run run) {
            steps++;
        }

        @Override
        public Map<String, Double> state() {
            return Map.of("steps", steps);
        }

        @Override
        public void restore(Map<String, Double> state) {
            steps = state.get("steps");
        }
    }

    @ParameterizedTest
    @MethodSource("callbacks")
    void watchesWithoutChangingTheResult(Function<Path, Callback> callback) {
        try (Trainer with = Blobs.trainer();
                Trainer without = Blobs.trainer()) {
            with.fit(Blobs.data(60).batch(10), epochs(2).callbacks(callback.apply(folder)));
            without.fit(Blobs.data(60).batch(10), epochs(2));
            assertThat(with.model().arrays()).isEqualTo(without.model().arrays());
        }
    }

    @ParameterizedTest
    @MethodSource("callbacks")
    void itsStateSurvives(Function<Path, Callback> callback) {
        Callback first = callback.apply(folder.resolve("first"));
        try (Trainer trainer = Blobs.trainer()) {
            trainer.fit(Blobs.data(60).batch(10), epochs(2).callbacks(first, Callbacks.checkpoint(folder)));
        }
        Callback second = callback.apply(folder.resolve("second"));
        try (Trainer trainer = Blobs.trainer()) {
            trainer.fit(Blobs.data(60).batch(10), epochs(2).callbacks(second).resume(folder));
        }
        assertThat(second.state()).isEqualTo(first.state());
    }

    @ParameterizedTest
    @MethodSource("callbacks")
    void hearsOfAFailure(Function<Path, Callback> callback) {
        Callback failing = new Callback() {
            @Override
            public void step(Run run) {
                throw new IllegalStateException("on purpose");
            }
        };
        try (Trainer trainer = Blobs.trainer()) {
            assertThatThrownBy(() ->
                            trainer.fit(Blobs.data(60).batch(10), epochs(1).callbacks(callback.apply(folder), failing)))
                    .hasMessage("on purpose");
        }
        assertThat(folder.resolve("best")).doesNotExist();
    }

    @Test
    void earlyStoppingStops() {
        try (Trainer trainer = Blobs.trainer()) {
            History history = trainer.fit(
                    Blobs.data(300).batch(10),
                    epochs(200).validate(Blobs.data(60, 3)).callbacks(Callbacks.earlyStopping("accuracy", 3)));
            assertThat(history.ending()).isEqualTo(History.Ending.STOPPED);
            assertThat(history.reason().orElseThrow())
                    .startsWith("accuracy has not improved for 3 epochs; its best was");
            assertThat(history.epochs().size()).isLessThan(200);
        }
    }

    @Test
    void anUnknownMetricIsNoticedBeforeTraining() {
        try (Trainer trainer = Blobs.trainer()) {
            assertThatThrownBy(() -> trainer.fit(
                            Blobs.data(60).batch(10), epochs(1).callbacks(Callbacks.earlyStopping("acuracy", 3))))
                    .isInstanceOf(TrainingException.class)
                    .hasMessage("there is no metric 'acuracy' to follow: did you mean 'accuracy'?");
        }
    }

    @Test
    void theBestModelIsThatOfTheBestEpoch() {
        Path best = folder.resolve("best");
        try (Trainer trainer = Blobs.trainer()) {
            History history = trainer.fit(
                    Blobs.data(60).batch(10),
                    epochs(4).validate(Blobs.data(60, 3)).callbacks(Callbacks.bestModel(best, "loss")));
            try (SavedModel saved = SavedModel.load(best)) {
                assertThat(saved.trainer().evaluate(Blobs.data(60, 3)).loss())
                        .isEqualTo(history.best("loss", false).measured().loss());
            }
        }
    }

    @Test
    void theCsvHasALineForEachEpoch() throws IOException {
        Path file = folder.resolve("log.csv");
        try (Trainer trainer = Blobs.trainer()) {
            trainer.fit(
                    Blobs.data(60).batch(10),
                    epochs(2).validate(Blobs.data(30, 3)).callbacks(Callbacks.csv(file)));
        }
        List<String> lines = Files.readAllLines(file);
        assertThat(lines).hasSize(3);
        assertThat(lines.get(0))
                .isEqualTo("epoch,step,learning_rate,seconds,loss,accuracy,validation_loss,validation_accuracy");
        assertThat(lines.get(2)).startsWith("2,12,0.01,");
    }

    @Test
    void withoutATerminalThereArePlainLines() {
        String text = shown(false);
        assertThat(text).doesNotContain("\r").doesNotContain("\033");
        List<String> lines = text.lines().toList();
        assertThat(lines.get(lines.size() - 1)).startsWith("epoch 2/2  loss ").endsWith(" s");
    }

    @Test
    void onATerminalTheLineIsClearedBeforeTheResult() {
        assertThat(shown(true)).contains("\r\033[Kepoch 1/2  loss ").endsWith("\r\033[K");
    }

    private static String shown(boolean terminal) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
        try (Trainer trainer = Blobs.trainer()) {
            trainer.fit(Blobs.data(60).batch(10), epochs(2).callbacks(Callbacks.progress(out, terminal)));
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Test
    void callbacksAreCalledInOrder() {
        List<String> calls = new ArrayList<>();
        Callback recorder = new Callback() {
            @Override
            public void begin(Run run) {
                calls.add("begin");
            }

            @Override
            public void step(Run run) {
                calls.add("step " + run.step() + " of epoch " + run.epoch());
            }

            @Override
            public void epoch(Run run, EpochResult result) {
                calls.add("epoch " + result.epoch());
            }

            @Override
            public void end(Run run, Optional<Throwable> failure) {
                calls.add("end");
            }
        };
        try (Trainer trainer = Blobs.trainer()) {
            trainer.fit(Blobs.data(20).batch(10), epochs(2).callbacks(recorder));
        }
        assertThat(calls)
                .containsExactly(
                        "begin",
                        "step 1 of epoch 1",
                        "step 2 of epoch 1",
                        "epoch 1",
                        "step 3 of epoch 2",
                        "step 4 of epoch 2",
                        "epoch 2",
                        "end");
    }

    private static PrintStream silent() {
        return new PrintStream(PrintStream.nullOutputStream(), false, StandardCharsets.UTF_8);
    }
}
