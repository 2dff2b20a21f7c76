package dev.tutti.spark.launch;

import static dev.tutti.nn.Layers.dense;
import static dev.tutti.optim.Optimizers.adam;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.loss.Losses;
import dev.tutti.nn.Sequential;
import dev.tutti.spark.SparkJars;
import dev.tutti.spark.TestSession;
import dev.tutti.spark.TuttiSpark;
import dev.tutti.spark.ml.SparkTables;
import dev.tutti.train.EpochResult;
import dev.tutti.train.Fit;
import dev.tutti.train.History;
import dev.tutti.train.Trainer;
import dev.tutti.train.TrainingException;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskStart;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of a training when parts of a real standalone cluster break: three worker daemons, an executor each. */
@Timeout(300)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class StandaloneFaultsTest {
    private static final int PARTS = 6;
    private static final int ROWS = 900;

    @TempDir
    private static Path folder;

    private static StandaloneCluster cluster;
    private static SparkSession session;

    @BeforeAll
    static void start() throws IOException {
        TestSession.stop();
        cluster =
                StandaloneCluster.start(folder, new StandaloneCluster.Size(SparkJars.linkedIn(folder), 3, 1, "1g", 0));
        SparkSession.Builder builder = SparkSession.builder();
        SessionSettings.ofMaster(cluster.master()).forEach(builder::config);
        session = builder.config("spark.executor.memory", "700m").getOrCreate();
        session.sparkContext().setLogLevel("ERROR");
    }

    @AfterAll
    static void stop() {
        session.stop();
        StandaloneCluster.stop(folder);
    }

    /** @param changing whether rows are others each time a partition is computed */
    private static Dataset<Row> table(boolean changing) {
        List<Integer> numbers = new ArrayList<>();
        for (int i = 0; i < ROWS; i++) {
            numbers.add(i);
        }
        JavaRDD<Row> rows = JavaSparkContext.fromSparkContext(session.sparkContext())
                .parallelize(numbers, PARTS)
                .map(i -> RowFactory.create(
                        new float[] {changing ? System.nanoTime() % 1009 : i % 31, i % 7}, (double) (i % 2)));
        return session.createDataFrame(rows, TestSession.schema());
    }

    /** Trains until an epoch has been counted after the fault, and a few more. */
    private static List<Long> train(Dataset<Row> table, int epochs, Callback fault) {
        return train(table, epochs, fault, SparkSlots.of(session.sparkContext()));
    }

    private static List<Long> train(Dataset<Row> table, int epochs, Callback fault, int workers) {
        SessionPlace place = new SessionPlace(session)
                .table(SparkTables.of("train", table, List.of("features"), List.of("label"), true));
        List<Long> samples = new ArrayList<>();
        try (Trainer trainer =
                Trainer.of(Sequential.of(dense(16).relu(), dense(2)), adam(1e-3), Losses.softmaxCrossEntropy())) {
            History history = place.describing(() -> trainer.fit(
                    TuttiSpark.rows(place, "train").shuffle(1).batch(30),
                    Fit.epochs(epochs)
                            .on(TuttiSpark.on(place)
                                    .workers(workers)
                                    .goneAfter(Duration.ofSeconds(3))
                                    .deadline(Duration.ofSeconds(20)))
                            .callbacks(fault, new Callback() {
                                @Override
                                public String name() {
                                    return "counting";
                                }

                                @Override
                                public void epoch(Run run, EpochResult result) {
                                    samples.add(result.training().samples());
                                }
                            })
                            .quiet()));
            assertThat(history.epochs()).hasSize(history.reason().isPresent() ? samples.size() : epochs);
        }
        return samples;
    }

    /** Something that is done once, in the middle of the second epoch. */
    private static Callback after(int steps, Runnable what) {
        return new Callback() {
            private boolean done;

            @Override
            public void step(Run run) {
                if (!done && run.step() >= steps) {
                    done = true;
                    what.run();
                }
            }
        };
    }

    private static List<ProcessHandle> executorsOf(int worker) {
        return ProcessHandle.of(cluster.processes().get(1 + worker).pid()).stream()
                .flatMap(ProcessHandle::children)
                .toList();
    }

    private static ProcessHandle anExecutor() {
        for (int i = 0; i < 3; i++) {
            List<ProcessHandle> found = executorsOf(i);
            if (!found.isEmpty()) {
                return found.get(0);
            }
        }
        throw new IllegalStateException("no executor runs");
    }

    private static long processOf(String executorId) {
        for (int worker = 0; worker < 3; worker++) {
            for (ProcessHandle process : executorsOf(worker)) {
                try {
                    String command = Files.readString(Path.of("/proc/" + process.pid() + "/cmdline"));
                    if (command.contains("--executor-id\0" + executorId + "\0")) {
                        return process.pid();
                    }
                } catch (IOException e) {
                    continue; // it has ended
                }
            }
        }
        throw new IllegalStateException("no process is executor " + executorId);
    }

    private static void signal(String name, long pid) {
        try {
            assertThat(new ProcessBuilder("kill", "-" + name, "" + pid)
                            .inheritIO()
                            .start()
                            .waitFor())
                    .isZero();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    @Order(1)
    void aCancelledJobFreesAllSlots() {
        assertThatThrownBy(() -> train(
                        table(false),
                        1000,
                        after(40, () -> session.sparkContext().cancelAllJobs())))
                .isInstanceOf(TrainingException.class)
                .hasMessageContaining("cancelled");
        assertThat(session.range(0, 300, 1, 3).count()).isEqualTo(300);
    }

    @Test
    @Order(2)
    void partitionsThatAreComputedAgainWithTheSameRowsCountOnce() {
        List<Long> samples = train(
                table(false), 6, after(40, () -> signal("KILL", anExecutor().pid())));
        assertThat(samples).hasSize(6).containsOnly((long) ROWS);
    }

    @Test
    @Order(3)
    void aPartitionThatComesOutDifferentIsAnErrorThatNamesIt() {
        assertThatThrownBy(() -> train(
                        table(true),
                        1000,
                        after(40, () -> signal("KILL", anExecutor().pid()))))
                .isInstanceOf(TrainingException.class)
                .hasMessageMatching("(?s).*partition \\d.*checksum.*");
    }

    /** The member that Spark starts in place of a lost one joins while the training runs. */
    @Test
    @Order(4)
    void aSpareSlotTakesTheLostMembersPlace() {
        AtomicLong killedAt = new AtomicLong();
        AtomicLong backAfter = new AtomicLong();
        Set<String> training = ConcurrentHashMap.newKeySet();
        SparkListener watching = new SparkListener() {
            @Override
            public void onTaskStart(SparkListenerTaskStart start) {
                training.add(start.taskInfo().executorId());
                if (killedAt.get() > 0 && start.taskInfo().attemptNumber() > 0) {
                    backAfter.compareAndSet(0, System.nanoTime() - killedAt.get());
                }
            }
        };
        session.sparkContext().addSparkListener(watching);
        try {
            List<Long> samples = train(
                    table(false),
                    1000,
                    new Callback() {
                        @Override
                        public void step(Run run) {
                            if (run.step() >= 40 && killedAt.get() == 0) {
                                killedAt.set(System.nanoTime());
                                signal("KILL", processOf(training.iterator().next()));
                            }
                        }

                        @Override
                        public void epoch(Run run, EpochResult result) {
                            if (backAfter.get() > 0) {
                                run.stop("the spare slot is used");
                            }
                        }
                    },
                    2);
            assertThat(samples).containsOnly((long) ROWS);
            assertThat(backAfter.get()).as("the task ran again").isPositive();
        } finally {
            session.sparkContext().removeSparkListener(watching);
        }
    }

    @Test
    @Order(5)
    void aStoppedExecutorIsGivenUpAndTheOthersGoOn() {
        Set<Long> stopped = new TreeSet<>();
        try {
            List<Long> samples = train(table(false), 6, after(40, () -> {
                long pid = anExecutor().pid();
                stopped.add(pid);
                signal("STOP", pid);
            }));
            assertThat(samples).hasSize(6).containsOnly((long) ROWS);
        } finally {
            stopped.forEach(pid -> signal("KILL", pid));
        }
    }

    @Test
    @Order(6)
    void aKilledWorkerDaemonTakesItsExecutorAlongAndTheOthersGoOn() {
        StandaloneCluster.Daemon worker = cluster.processes().get(3);
        List<Long> samples = train(table(false), 6, after(40, () -> signal("KILL", worker.pid())));
        assertThat(samples).hasSize(6).containsOnly((long) ROWS);
        assertThat(worker.isAlive()).isFalse();
    }

    /** Executors come when members need them: no member of the training has one before it begins. */
    @Test
    @Order(7)
    void executorsThatAreAllocatedOnDemandJoinTheTraining() {
        session.stop();
        SparkSession.Builder builder = SparkSession.builder();
        SessionSettings.ofMaster(cluster.master()).forEach(builder::config);
        session = builder.config("spark.executor.memory", "700m")
                .config("spark.executor.cores", "1")
                .config("spark.dynamicAllocation.enabled", "true")
                .config("spark.dynamicAllocation.shuffleTracking.enabled", "true")
                .config("spark.dynamicAllocation.initialExecutors", "0")
                .config("spark.dynamicAllocation.maxExecutors", "2")
                .config("spark.scheduler.minRegisteredResourcesRatio", "0")
                .getOrCreate();
        session.sparkContext().setLogLevel("ERROR");
        assertThat(SparkSlots.of(session.sparkContext())).isEqualTo(2);
        List<Long> samples = train(table(false), 3, after(1, () -> {}));
        assertThat(samples).hasSize(3).containsOnly((long) ROWS);
        assertThat(session.sparkContext().statusTracker().getExecutorInfos())
                .as("the driver and two executors")
                .hasSize(3);
    }
}
