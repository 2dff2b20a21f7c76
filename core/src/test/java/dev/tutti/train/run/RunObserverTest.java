package dev.tutti.train.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.data.Dataset;
import dev.tutti.json.Json;
import dev.tutti.train.Blobs;
import dev.tutti.train.EpochResult;
import dev.tutti.train.Fit;
import dev.tutti.train.History;
import dev.tutti.train.Trainer;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import dev.tutti.train.checkpoint.CheckpointFolder;
import dev.tutti.train.checkpoint.CheckpointSaver;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A run that is followed through its folder. */
@Timeout(60)
class RunObserverTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    @TempDir
    Path folder;

    private final Dataset data = Blobs.data(120).shuffle(1).batch(12);

    private History train(Fit fit, Callback... more) {
        try (Trainer trainer = Blobs.trainer()) {
            return trainer.fit(
                    data,
                    fit.callbacks(new CheckpointSaver(folder.resolve("checkpoints")))
                            .callbacks(more)
                            .callbacks(new RunRecorder(folder)));
        }
    }

    /** Members that share a folder have one status, the chief's; one that fails does not end the run of the others. */
    @Test
    void aMemberThatIsNotTheChiefWritesNoStatus() {
        RunFiles files = new RunFiles(folder);
        try (RunRecorder recorder = new RunRecorder(folder)) {
            recorder.startAsMember();
            recorder.fail(new IllegalStateException("cut off"));
            assertThat(files.status()).doesNotExist();
        }
        try (RunRecorder recorder = new RunRecorder(folder)) {
            recorder.start(3);
            assertThat(files.status()).exists();
        }
    }

    /** A step takes so long that an observer can come in the middle. */
    private static Callback slow(int millis) {
        return new Callback() {
            @Override
            public void step(Run run) {
                try {
                    TimeUnit.MILLISECONDS.sleep(millis);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        };
    }

    /** What an observer was told. */
    private static final class Heard implements Callback {
        private final List<Integer> epochs = new ArrayList<>();
        private final List<Long> steps = new ArrayList<>();
        private int begun;
        private int ended;
        private Throwable failure;

        @Override
        public void begin(Run run) {
            begun++;
        }

        @Override
        public void step(Run run) {
            steps.add(run.step());
        }

        @Override
        public void epoch(Run run, EpochResult result) {
            epochs.add(result.epoch());
            assertThat(run.finished()).hasSize(result.epoch());
        }

        @Override
        public void end(Run run, Optional<Throwable> why) {
            ended++;
            failure = why.orElse(null);
        }
    }

    @Test
    void tellsCallbacksOfARunThatIsOver() {
        History history = train(Fit.epochs(3));
        Heard heard = new Heard();
        RunStatus status = RunObserver.of(folder).follow(LIMIT, heard);
        assertThat(status.state()).isEqualTo(RunState.COMPLETED);
        assertThat(status.step()).isEqualTo(30);
        assertThat(heard.epochs).containsExactly(1, 2, 3);
        assertThat(heard.steps).contains(10L, 20L, 30L).isSorted().doesNotHaveDuplicates();
        assertThat(heard.begun).isEqualTo(1);
        assertThat(heard.ended).isEqualTo(1);
        assertThat(heard.failure).isNull();
        assertThat(RunObserver.of(folder).events().stream()
                        .filter(RunEvent::isEpoch)
                        .flatMap(event -> event.result().stream()))
                .isEqualTo(history.epochs());
    }

    @Test
    void followsARunCopiesItsCheckpointsAndEndsIt() throws Exception {
        CompletableFuture<History> run = CompletableFuture.supplyAsync(() -> train(Fit.epochs(100), slow(20)));
        Path copies = folder.resolve("copies");
        RunStatus status = RunObserver.of(folder).follow(LIMIT, new CheckpointSaver(copies), new Callback() {
            @Override
            public void epoch(Run observed, EpochResult result) {
                assertThat(observed.recipe().metrics()).hasSize(1);
                if (result.epoch() == 2) {
                    observed.configure("learningRate", "0.5");
                }
                if (result.epoch() == 3) {
                    observed.stop("enough");
                }
            }
        });
        History history = run.get(30, TimeUnit.SECONDS);
        assertThat(status.state()).isEqualTo(RunState.STOPPED);
        assertThat(status.settings()).isEqualTo(Map.of("learningRate", "0.5"));
        assertThat(history.ending()).isEqualTo(History.Ending.STOPPED);
        assertThat(history.reason()).hasValue("enough");
        assertThat(history.epochs().size()).isBetween(3, 20);
        assertThat(new CheckpointFolder(copies).newest()).isPresent();
    }

    @Test
    void aResumedRunTellsItsStepsOnce() {
        train(Fit.epochs(2));
        int[] asked = {0};
        train(Fit.epochs(5).resume(folder.resolve("checkpoints")).until(() -> ++asked[0] > 16), slow(110));
        long interruptedAt = RunObserver.of(folder).status().orElseThrow().step();
        assertThat(interruptedAt).isBetween(21L, 49L);
        train(Fit.epochs(5).resume(folder.resolve("checkpoints")));
        List<Long> steps = RunObserver.of(folder).events().stream()
                .filter(event -> !event.isEpoch())
                .map(RunEvent::step)
                .toList();
        assertThat(steps).isSorted().doesNotHaveDuplicates().contains(50L);
        Heard heard = new Heard();
        RunObserver.of(folder).follow(LIMIT, heard);
        assertThat(heard.epochs).containsExactly(1, 2, 3, 4, 5);
    }

    @Test
    void aFailureIsTold() {
        assertThatThrownBy(() -> train(Fit.epochs(2), new Callback() {
                    @Override
                    public void step(Run run) {
                        throw new IllegalStateException("broken");
                    }
                }))
                .hasMessage("broken");
        Heard heard = new Heard();
        RunStatus status = RunObserver.of(folder).follow(LIMIT, heard);
        assertThat(status.state()).isEqualTo(RunState.FAILED);
        assertThat(status.message()).hasValueSatisfying(why -> assertThat(why).contains("broken"));
        assertThat(heard.failure).hasMessageContaining("broken");
    }

    @Test
    void aRunWhoseProcessIsGoneIsLost() throws Exception {
        train(Fit.epochs(1));
        RunFiles files = new RunFiles(folder);
        RunStatus last = files.readStatus().orElseThrow();
        Process ended = new ProcessBuilder("true").start();
        ended.waitFor();
        String text = Json.write(last)
                .replace("COMPLETED", "RUNNING")
                .replace(last.process(), ended.pid() + "@" + RunFiles.hostOf(last.process()));
        Files.writeString(files.status(), text);
        RunStatus lost = RunObserver.of(folder).status().orElseThrow();
        assertThat(lost.state()).isEqualTo(RunState.LOST);
        assertThat(lost.message().orElseThrow()).contains(ended.pid() + "@");
        String elsewhere = text.replace(ended.pid() + "@", "1@not-");
        Files.writeString(files.status(), elsewhere);
        assertThat(RunObserver.of(folder).status().orElseThrow().state())
                .as("it was heard of a moment ago")
                .isEqualTo(RunState.RUNNING);
    }

    @Test
    void aFolderWithoutARunIsNamedWhenTimeIsUp() {
        assertThat(RunObserver.of(folder).status()).isEmpty();
        assertThatThrownBy(() -> RunObserver.of(folder).await(Duration.ofMillis(150)))
                .hasMessageContaining("nothing was recorded there")
                .hasMessageContaining(folder.toString());
    }
}
