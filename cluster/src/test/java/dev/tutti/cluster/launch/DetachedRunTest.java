package dev.tutti.cluster.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.host.ProcessLiveness;
import dev.tutti.json.Json;
import dev.tutti.train.EpochResult;
import dev.tutti.train.Predictor;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import dev.tutti.train.job.Job;
import dev.tutti.train.job.JobFile;
import dev.tutti.train.run.RunEvent;
import dev.tutti.train.run.RunObserver;
import dev.tutti.train.run.RunState;
import dev.tutti.train.run.RunStatus;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A run goes on without the process that started it, and its folder is enough to come back to it. */
@Timeout(120)
class DetachedRunTest {
    private static final Duration LIMIT = Duration.ofSeconds(90);

    @TempDir
    Path folder;

    private final List<Long> processes = new ArrayList<>();

    @AfterEach
    void endAll() {
        processes.forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
    }

    private Job job(int epochs) {
        return JobFile.of("""
                name: detached
                output: %s
                data:
                  train: {source: mnist, stages: [{type: take, count: 3000}], batch: 30}
                model: {type: sequential, layers: [flatten, {type: dense, units: 32}, {type: dense, units: 10}]}
                epochs: %d
                threads: 1
                loss: softmaxCrossEntropy
                optimizer: sgd
                checkpoints: {everySteps: 20}
                """.formatted(folder.resolve("run"), epochs), "the test", "detached")
                .job();
    }

    private RunObserver observer() {
        return RunObserver.of(folder.resolve("run"));
    }

    private List<Integer> epochs() {
        return observer().events().stream()
                .filter(event -> event.result().isPresent())
                .map(RunEvent::epoch)
                .toList();
    }

    @Test
    void aRunGoesOnWhenItsWatcherIsKilled() throws Exception {
        Path file = Files.writeString(folder.resolve("job.json"), Json.write(job(20)));
        Process watcher = ChildJvm.of(WatcherMain.class.getName(), "watcher", List.of(file.toString()))
                .start();
        long run = processOf(watcher);
        watcher.destroyForcibly().waitFor();
        assertThat(ProcessLiveness.isAlive(run)).isTrue();
        assertThat(observer().status().orElseThrow().state()).isEqualTo(RunState.RUNNING);

        List<Integer> told = new ArrayList<>();
        RunStatus end = observer().follow(LIMIT, new Callback() {
            @Override
            public void epoch(Run observed, EpochResult result) {
                told.add(result.epoch());
            }
        });
        assertThat(end.state()).isEqualTo(RunState.COMPLETED);
        assertThat(end.step()).isEqualTo(2000);
        assertThat(told).hasSize(20).isSorted().isEqualTo(epochs());
        try (Predictor predictor = Predictor.load(folder.resolve("run").resolve("model"))) {
            assertThat(predictor.model().outputs()).hasSize(1);
        }
    }

    private long processOf(Process watcher) throws IOException {
        processes.add(watcher.pid());
        BufferedReader out =
                new BufferedReader(new InputStreamReader(watcher.getInputStream(), StandardCharsets.UTF_8));
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            if (line.startsWith("process ")) {
                long pid = Long.parseLong(line.substring("process ".length()));
                processes.add(pid);
                return pid;
            }
        }
        throw new AssertionError(
                "the watcher ended: " + new String(watcher.getErrorStream().readAllBytes(), StandardCharsets.UTF_8));
    }

    @Test
    void aKilledRunIsLostAndIsResumed() throws Exception {
        DetachedRun run = DetachedRun.start(job(20), false);
        processes.add(run.process());
        while (observer().status().orElseThrow().step() < 150) {
            Thread.sleep(20);
        }
        ProcessHandle.of(run.process()).orElseThrow().destroyForcibly();
        RunStatus lost = observer().await(LIMIT);
        assertThat(lost.state()).isEqualTo(RunState.LOST);
        assertThat(lost.message().orElseThrow()).contains(String.valueOf(run.process()));

        DetachedRun again = DetachedRun.start(job(20), true);
        processes.add(again.process());
        RunStatus end = again.observer().await(LIMIT);
        assertThat(end.state()).isEqualTo(RunState.COMPLETED);
        assertThat(end.step()).isEqualTo(2000);
        assertThat(end.samples()).as("it went on from a checkpoint").isLessThan(60_000);
        assertThat(epochs()).hasSize(20).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void aRunIsStoppedThroughItsFolder() {
        DetachedRun run = DetachedRun.start(job(1000), false);
        processes.add(run.process());
        observer().stop("seen enough");
        RunStatus end = observer().await(LIMIT);
        assertThat(end.state()).isEqualTo(RunState.STOPPED);
        assertThat(end.message()).contains("seen enough");
    }

    @Test
    void aJobThatCannotBeginSaysWhy() {
        Job broken = JobFile.of("""
                name: broken
                output: %s
                data: {train: {source: mnist, batch: 30}}
                model: {type: sequential, layers: [{type: conv2d, filters: 4, kernel: 90}]}
                loss: softmaxCrossEntropy
                optimizer: sgd
                """.formatted(folder.resolve("run")), "the test", "broken")
                .job();
        assertThatThrownBy(() -> DetachedRun.start(broken, false))
                .isInstanceOf(LaunchException.class)
                .hasMessageContaining("ended before it began")
                .hasMessageContaining("90");
    }
}
