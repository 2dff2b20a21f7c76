package dev.tutti.spark.launch;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.metric.Metrics.accuracy;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.nn.Layers.flatten;
import static dev.tutti.optim.Optimizers.adam;
import static dev.tutti.optim.Optimizers.sgd;
import static dev.tutti.train.Fit.epochs;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.offset;

import dev.tutti.data.Dataset;
import dev.tutti.data.Mnist;
import dev.tutti.nn.Sequential;
import dev.tutti.spark.TestSession;
import dev.tutti.spark.TuttiSpark;
import dev.tutti.strategy.Strategies;
import dev.tutti.train.EpochResult;
import dev.tutti.train.Fit;
import dev.tutti.train.History;
import dev.tutti.train.Launcher;
import dev.tutti.train.Trainer;
import dev.tutti.train.TrainingException;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Callbacks;
import dev.tutti.train.callback.Run;
import dev.tutti.train.checkpoint.CheckpointFolder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import scala.jdk.javaapi.CollectionConverters;

/** Training as one Spark job, on two executor processes. */
@Timeout(300)
class SparkTrainingTest {
    @BeforeAll
    static void findDatasets() {
        System.setProperty(
                "tutti.datasets", Path.of("../datasets").toAbsolutePath().toString());
        TestSession.get();
    }

    private static Dataset digits(int rows) {
        return Mnist.train().take(rows).shuffle(7).batch(64);
    }

    private static Trainer trainer() {
        return Trainer.of(Sequential.of(flatten(), dense(16).relu(), dense(10)), sgd(0.1), softmaxCrossEntropy())
                .metrics(accuracy());
    }

    private static Fit onSpark(int epochs) {
        return epochs(epochs).on(TuttiSpark.on(TestSession.get())).quiet();
    }

    @Test
    void givesTheParametersOfThreads(@TempDir Path folder) {
        try (Trainer spark = trainer();
                Trainer threads = trainer()) {
            History history = spark.fit(
                    digits(1280), onSpark(2).validate(Mnist.test().take(200)).callbacks(Callbacks.checkpoint(folder)));
            threads.fit(digits(1280), epochs(2).on(Launcher.threads(2)).quiet());
            assertThat(history.epochs()).hasSize(2);
            assertThat(history.last().training().samples()).isEqualTo(1280);
            assertThat(history.last().measured().samples()).isEqualTo(200);
            float[] mine = spark.model().vector().values().toArray().floats();
            float[] theirs = threads.model().vector().values().toArray().floats();
            for (int i = 0; i < mine.length; i++) {
                assertThat(mine[i]).isCloseTo(theirs[i], offset(1e-5f));
            }
            assertThat(new CheckpointFolder(folder).files()).hasSize(2);
        }
        try (Trainer resumed = trainer()) { // one epoch more, from the checkpoint
            History history = resumed.fit(digits(1280), onSpark(3).resume(folder));
            assertThat(history.epochs()).hasSize(3);
            assertThat(history.last().steps()).isEqualTo(60);
        }
    }

    @Test
    void callbacksOfTheDriverStopItAndFailIt() {
        try (Trainer trainer = trainer()) {
            History history = trainer.fit(digits(640), onSpark(50).callbacks(new Callback() {
                @Override
                public void epoch(Run run, EpochResult result) {
                    if (result.epoch() == 2) {
                        run.stop("enough");
                    }
                }
            }));
            assertThat(history.ending()).isEqualTo(History.Ending.STOPPED);
            assertThat(history.reason()).hasValue("enough");
            assertThat(history.epochs()).hasSize(2);
        }
        try (Trainer trainer = trainer()) {
            assertThatThrownBy(() -> trainer.fit(digits(640), onSpark(50).callbacks(new Callback() {
                        @Override
                        public void epoch(Run run, EpochResult result) {
                            throw new TrainingException("the disk of the driver is full");
                        }
                    })))
                    .isInstanceOf(TrainingException.class)
                    .hasMessage("the disk of the driver is full");
        }
    }

    @Test
    void trainsWithAParameterServerAmongTheTasks() {
        try (Trainer trainer = trainer()) {
            History history = trainer.fit(
                    digits(640), onSpark(2).with(Strategies.parameterServer().servers(1)));
            assertThat(history.epochs()).hasSize(2);
            assertThat(history.last().training().samples()).isEqualTo(640);
        }
    }

    /** Counters that tasks of trainings had when they ended. */
    private static final class Counters extends SparkListener {
        private final Map<String, Long> sums = new ConcurrentHashMap<>();

        @Override
        public void onTaskEnd(SparkListenerTaskEnd end) {
            CollectionConverters.asJava(end.taskInfo().accumulables()).forEach(each -> {
                if (each.name().exists(name -> name.startsWith("Tutti"))
                        && each.update().isDefined()) {
                    sums.merge(
                            each.name().get(), Long.parseLong("" + each.update().get()), Long::sum);
                }
            });
        }
    }

    @Test
    void dividesTheModelAmongTheTasksAndBringsItBackWhole(@TempDir Path folder) throws Exception {
        Counters counters = new Counters();
        TestSession.get().sparkContext().addSparkListener(counters);
        try (Trainer parts = trainer();
                Trainer threads = trainer()) {
            History history = parts.fit(
                    digits(640),
                    onSpark(2)
                            .with(Strategies.parallel().pipeline(2))
                            .validate(Mnist.test().take(100))
                            .callbacks(Callbacks.checkpoint(folder)));
            threads.fit(digits(640), epochs(2).quiet());
            assertThat(history.last().training().samples()).isEqualTo(640);
            float[] mine = parts.model().vector().values().toArray().floats();
            float[] theirs = threads.model().vector().values().toArray().floats();
            for (int i = 0; i < mine.length; i++) {
                assertThat(mine[i]).isCloseTo(theirs[i], offset(1e-4f));
            }
            assertThat(new CheckpointFolder(folder).newest()).isPresent();
            assertThatThrownBy(() -> parts.fit(
                            digits(640), onSpark(1).with(Strategies.parallel().pipeline(2))))
                    .hasMessageContaining("has values already");
        }
        TestSession.get().sparkContext().listenerBus().waitUntilEmpty();
        TestSession.get().sparkContext().removeSparkListener(counters);
        assertThat(counters.sums).as("what Spark's pages show").containsEntry(TaskCounters.UPDATES, 2L * 20);
        try (Trainer resumed = trainer()) {
            History history = resumed.fit(
                    digits(640),
                    onSpark(3).with(Strategies.parallel().pipeline(2)).resume(folder));
            assertThat(history.last().steps()).isEqualTo(30);
        }
    }

    @Test
    void aCancelledJobEndsTheTraining() {
        try (Trainer trainer = trainer()) {
            assertThatThrownBy(() -> trainer.fit(digits(6400), onSpark(1000).callbacks(new Callback() {
                        @Override
                        public void epoch(Run run, EpochResult result) {
                            TestSession.get().sparkContext().cancelAllJobs();
                        }
                    })))
                    .isInstanceOf(TrainingException.class)
                    .hasMessageContaining("cancelled");
        }
        assertThat(TestSession.get().range(100).count()).isEqualTo(100); // the slots are free again
    }

    @Test
    void aKilledExecutorIsReplacedWhileTheOtherGoesOn() {
        AtomicBoolean killed = new AtomicBoolean();
        List<Long> samples = new ArrayList<>();
        try (Trainer trainer =
                Trainer.of(Sequential.of(flatten(), dense(16).relu(), dense(10)), adam(1e-3), softmaxCrossEntropy())) {
            History history = trainer.fit(digits(2560), onSpark(6).callbacks(new Callback() {
                @Override
                public void epoch(Run run, EpochResult result) {
                    samples.add(result.training().samples());
                    if (result.epoch() == 2 && killed.compareAndSet(false, true)) {
                        kill(executors().get(0));
                    }
                }
            }));
            assertThat(history.epochs()).hasSize(6);
            assertThat(samples).containsOnly(2560L);
            assertThat(killed).isTrue();
        }
    }

    /** Processes of executors that this JVM's cluster has started. */
    static List<ProcessHandle> executors() {
        return ProcessHandle.current()
                .descendants()
                .filter(process -> process.info()
                        .commandLine()
                        .or(() -> process.info().command())
                        .filter(line -> line.contains("java"))
                        .isPresent())
                .toList();
    }

    static void kill(ProcessHandle process) {
        try {
            new ProcessBuilder("kill", "-9", "" + process.pid()).inheritIO().start();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
