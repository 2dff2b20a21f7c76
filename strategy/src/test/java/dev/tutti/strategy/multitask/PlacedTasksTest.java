package dev.tutti.strategy.multitask;

import static dev.tutti.loss.Losses.mse;
import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.metric.Metrics.accuracy;
import static dev.tutti.metric.Metrics.mae;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.optim.Optimizers.adam;
import static dev.tutti.strategy.Strategies.placedTasks;
import static dev.tutti.strategy.TestingCluster.killing;
import static dev.tutti.train.Fit.epochs;
import static dev.tutti.train.callback.Callbacks.checkpoint;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.array.NdArray;
import dev.tutti.array.Range;
import dev.tutti.data.Dataset;
import dev.tutti.json.Json;
import dev.tutti.loss.Loss;
import dev.tutti.nn.Graph;
import dev.tutti.strategy.Members.Result;
import dev.tutti.strategy.TestingCluster;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.EpochResult;
import dev.tutti.train.Launcher;
import dev.tutti.train.Trainer;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import dev.tutti.train.checkpoint.Checkpoint;
import dev.tutti.train.checkpoint.CheckpointFolder;
import dev.tutti.train.multitask.MultiTask;
import dev.tutti.train.multitask.Task;
import dev.tutti.train.replica.Strategy;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tasks that have members of their own: where they are placed, what comes out, and what happens when a member is lost. */
@Timeout(120)
class PlacedTasksTest {
    private static final int KINDS = 360;
    private static final int SIZES = 240;
    private static final int SIGNS = 120;
    static final int EPOCHS = 12;

    static MultiTask tasks() {
        Graph graph = Graph.inputs("x")
                .add("trunk", dense(16).tanh(), "x")
                .add("kind", dense(3), "trunk")
                .add("size", dense(1), "trunk")
                .add("sign", dense(2), "trunk")
                .outputs("kind", "size", "sign");
        return MultiTask.of(
                graph,
                Task.of("kind", data(KINDS, 0), "kind", softmaxCrossEntropy()).metrics(accuracy()),
                Task.of("size", data(SIZES, 1), "size", mse()).metrics(mae()),
                Task.of("sign", data(SIGNS, 2), "sign", softmaxCrossEntropy()).metrics(accuracy()));
    }

    private static Dataset data(int rows, int task) {
        Random random = new Random(task);
        float[] x = new float[rows * 4];
        long[] classes = new long[rows];
        float[] numbers = new float[rows];
        for (int i = 0; i < rows; i++) {
            for (int j = 0; j < 4; j++) {
                x[i * 4 + j] = (float) random.nextGaussian();
            }
            float sum = x[i * 4] + x[i * 4 + 1];
            classes[i] = task == 0 ? sum > 0.5 ? 2 : sum > -0.5 ? 1 : 0 : sum > 0 ? 1 : 0;
            numbers[i] = sum / 2;
        }
        NdArray labels = task == 1 ? NdArray.of(numbers, rows, 1) : NdArray.of(classes, rows);
        return Dataset.of(NdArray.of(x, rows, 4), labels);
    }

    static Result trained(Launcher place, Strategy strategy, Callback... callbacks) {
        MultiTask tasks = tasks();
        Trainer trainer = tasks.trainer(adam(0.02)).seed(4).cores(1);
        return Result.of(
                trainer,
                tasks.data(7).batch(24),
                epochs(EPOCHS).quiet().on(place).with(strategy).callbacks(callbacks));
    }

    @SuppressWarnings("unchecked")
    static List<Map<String, Object>> report(Result result) {
        return (List<Map<String, Object>>) result.history().strategy().values().get("tasks");
    }

    /** Each task's rows count once per its own epoch, wherever they are worked on. */
    static void requireAllRows(Result result) {
        assertThat(report(result))
                .extracting(task -> task.get("rows"))
                .containsExactly((long) EPOCHS * KINDS, (long) EPOCHS * SIZES, (long) EPOCHS * SIGNS);
    }

    static void requireLearned(Result result) {
        Map<String, Double> metrics = result.history().last().training().metrics();
        assertThat(metrics.get("kind.accuracy")).isGreaterThan(0.9);
        assertThat(metrics.get("sign.accuracy")).isGreaterThan(0.9);
        assertThat(metrics.get("size.mae")).isLessThan(0.15);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5})
    void fewerAndMoreMembersThanTasksReachTheSameMetrics(int members) {
        Map<String, Result> results = new TestingCluster(members)
                .run(place -> trained(place, placedTasks().everySteps(5)));
        assertThat(results).hasSize(members);
        assertThat(results.values().stream().map(Result::weights).distinct())
                .as("the same bits on all members")
                .hasSize(1);
        Result first = results.get("worker-0");
        requireAllRows(first);
        requireLearned(first);
        assertThat(report(first))
                .allSatisfy(task -> assertThat((List<?>) task.get("members")).isNotEmpty());
        assertThat(first.history().strategy().text()).contains("kind", "at the end on", "worker-");
    }

    @Test
    void theTasksOfALostMemberMoveAndNoRowIsLost() {
        TestingCluster cluster = new TestingCluster(2, killing("worker-1", "before round of tasks", 20));
        Map<String, Result> results =
                cluster.run(place -> trained(place, placedTasks().everySteps(5)));
        assertThat(results).containsOnlyKeys("worker-0");
        Result left = results.get("worker-0");
        requireAllRows(left);
        requireLearned(left);
        assertThat(report(left))
                .allSatisfy(task -> assertThat(task.get("members")).isEqualTo(List.of("worker-0")));
    }

    /** The loss of a task, which takes long on one member once it has been computed for a while. */
    private static final class SlowingLoss extends Loss {
        private static final ThreadLocal<Integer> CALLS = ThreadLocal.withInitial(() -> Integer.MIN_VALUE);

        @Override
        public Tensor compute(Tensor output, Tensor target) {
            CALLS.set(CALLS.get() + 1);
            if (CALLS.get() > 60) {
                LockSupport.parkNanos(6_000_000);
            }
            return mse().compute(output, target);
        }
    }

    @Test
    void tasksLeaveAMemberThatBecomesSlow() {
        Json.register(SlowingLoss.class, "slowingLoss");
        Graph graph = Graph.inputs("x").add("trunk", dense(4).tanh(), "x");
        for (int i = 0; i < 4; i++) {
            graph = graph.add("t" + i, dense(1), "trunk");
        }
        MultiTask tasks = MultiTask.of(
                graph.outputs("t0", "t1", "t2", "t3"),
                IntStream.range(0, 4)
                        .mapToObj(i -> Task.of("t" + i, data(160, 1), "t" + i, new SlowingLoss()))
                        .toList());
        AtomicInteger seats = new AtomicInteger();
        Map<String, Result> results = new TestingCluster(2).run(place -> {
            if (seats.getAndIncrement() == 0) {
                SlowingLoss.CALLS.set(0);
            }
            return Result.of(
                    tasks.trainer(adam(0.02)).cores(1),
                    tasks.data(7).batch(32),
                    epochs(8).quiet().on(place).with(placedTasks().everySteps(5)));
        });
        List<Map<String, Object>> placed = report(results.get("worker-0"));
        Map<Object, Long> count = placed.stream()
                .flatMap(task -> ((List<?>) task.get("members")).stream())
                .collect(Collectors.groupingBy(each -> each, Collectors.counting()));
        assertThat(Math.min(count.getOrDefault("worker-0", 0L), count.getOrDefault("worker-1", 0L)))
                .as("tasks of the slow member in %s", placed)
                .isLessThanOrEqualTo(1);
        assertThat(placed)
                .anySatisfy(task -> assertThat((int) task.get("moves")).isPositive());
        assertThat(placed).allSatisfy(task -> assertThat(task.get("rows")).isEqualTo(8L * 160));
    }

    /** A task that rests is not learned until it is added; one that is taken away keeps what it has learned. */
    @Test
    void tasksBeginAndEndWhileTheRunGoesOn() {
        Callback changing = new Callback() {
            @Override
            public void epoch(Run run, EpochResult result) {
                if (result.epoch() == 4) {
                    run.configure("tasks", "size,sign");
                }
            }
        };
        Result result = trained(Launcher.here(), placedTasks().everySteps(5).active("kind", "size"), changing);
        List<Map<String, Object>> tasks = report(result);
        assertThat((long) tasks.get(0).get("rows")).isBetween(3L * KINDS, 6L * KINDS);
        assertThat(tasks.get(1).get("rows")).isEqualTo((long) EPOCHS * SIZES);
        assertThat((long) tasks.get(2).get("rows")).isBetween(5L * SIGNS, 9L * SIGNS);
        assertThat(tasks.get(0).get("members")).isEqualTo(List.of());
        assertThat(tasks.get(2).get("moves")).isEqualTo(1);
    }

    /** When the task comes back, its optimizer goes on from what it remembers. */
    @Test
    void theOptimizerOfARestingTaskStandsStill(@TempDir Path folder) {
        Callback changing = new Callback() {
            @Override
            public void epoch(Run run, EpochResult result) {
                if (result.epoch() == 3) {
                    run.configure("tasks", "kind,size");
                }
            }
        };
        new TestingCluster(2)
                .run(place -> trained(
                        place,
                        placedTasks().everySteps(5),
                        changing,
                        checkpoint(folder).keep(EPOCHS)));
        Range sign;
        MultiTask tasks = tasks();
        try (Trainer trainer = tasks.trainer(adam(0.02)).cores(1)) {
            sign = trainer.build(tasks.data(7).batch(24)).parameters().stream()
                    .filter(p -> p.name().equals("sign.weight"))
                    .findFirst()
                    .orElseThrow()
                    .range();
        }
        List<Path> files = new CheckpointFolder(folder).files();
        List<List<String>> remembered = Stream.of(files.get(6), files.get(10))
                .map(Checkpoint::open)
                .map(checkpoint -> checkpoint.names().stream()
                        .filter(name -> name.startsWith("optimizer.")
                                && checkpoint.shape(name).rank() == 1)
                        .sorted()
                        .map(name -> Arrays.toString(Arrays.copyOfRange(
                                checkpoint.array(name).floats(), (int) sign.from(), (int) sign.to())))
                        .toList())
                .toList();
        assertThat(remembered.get(0)).hasSize(2).doesNotContain(Arrays.toString(new float[(int) sign.length()]));
        assertThat(remembered.get(1)).isEqualTo(remembered.get(0));
    }

    /** Neither parameters nor what an optimizer remembers of them. */
    @Test
    void whatIsFrozenDoesNotTravel() {
        long[] bytes = new long[2];
        int[] widths = {20, 2000};
        for (int i = 0; i < 2; i++) {
            int width = widths[i];
            MultiTask tasks = MultiTask.of(
                    Graph.inputs("x")
                            .add("wide", dense(width).tanh(), "x")
                            .add("trunk", dense(8).tanh(), "wide")
                            .add("kind", dense(3), "trunk")
                            .add("size", dense(1), "trunk")
                            .outputs("kind", "size"),
                    Task.of("kind", data(KINDS, 0), "kind", softmaxCrossEntropy()),
                    Task.of("size", data(SIZES, 1), "size", mse()));
            Dataset data = tasks.data(7).batch(24);
            TestingCluster cluster = new TestingCluster(2);
            cluster.run(place -> {
                Trainer trainer = tasks.trainer(adam(0.02)).cores(1);
                trainer.build(data).freeze("wide");
                trainer.model().freeze("trunk");
                return Result.of(
                        trainer,
                        data,
                        epochs(2).quiet().on(place).with(placedTasks().everySteps(5)));
            });
            bytes[i] = cluster.traffic("worker-1").sent();
        }
        assertThat(bytes[1] - bytes[0]).isBetween(-4000L, 2000L * 4); // once it would be 13 * 2000 * 4
    }

    @Test
    void aStrategyOfTasksIsADefinition() {
        Strategy read =
                Json.read("{\"type\": \"placedTasks\", \"everySteps\": 3, \"active\": [\"a\"]}", Strategy.class, "x");
        assertThat(read).hasToString("placedTasks().everySteps(3).active([a])");
    }

    // ---- where tasks are placed

    private static double[] evenly(int members) {
        double[] slowness = new double[members];
        Arrays.fill(slowness, 1);
        return slowness;
    }

    @Test
    void tasksArePlacedByTheirWork() {
        TaskPlacement placed = TaskPlacement.of(new double[] {5, 3, 2, 4}, evenly(2));
        assertThat(placed.longest(new double[] {5, 3, 2, 4}, evenly(2))).isEqualTo(7);
        assertThat(placed.ranks()).allMatch(ranks -> ranks.size() == 1);
    }

    @Test
    void aSlowMemberGetsLess() {
        double[] work = {1, 1, 1, 1};
        TaskPlacement placed = TaskPlacement.of(work, new double[] {1, 3});
        assertThat(placed.ranks().stream().filter(ranks -> ranks.contains(0))).hasSize(3);
    }

    @Test
    void aLargeTaskIsDividedAndARestingOneHasNoMember() {
        double[] work = {9, 1, 0};
        TaskPlacement placed = TaskPlacement.of(work, evenly(3));
        assertThat(placed.ranks().get(0)).hasSizeGreaterThan(1);
        assertThat(placed.ranks().get(2)).isEmpty();
        assertThat(placed.longest(work, evenly(3))).isLessThan(5);
    }

    @Test
    void whatIsMeasuredTellsSlowTasksFromSlowMembers() {
        TaskCosts costs = new TaskCosts(2, 2);
        costs.compare(new double[][] {{10, 10}, {10, 10}}, new double[][] {{1, 2}, {1, 2}});
        assertThat(costs.work(new boolean[] {true, true})).containsExactly(2, 4);
        assertThat(costs.slowness()).containsExactly(1, 1);
        for (int round = 0; round < 6; round++) { // the second member has become three times as slow with its own task
            costs.follow(new double[][] {{20, 0}, {0, 20}}, new double[][] {{2, 0}, {0, 12}});
        }
        assertThat(costs.slowness()[0]).isCloseTo(1, within(0.05));
        assertThat(costs.slowness()[1]).isCloseTo(3, within(0.1));
        TaskPlacement moved = TaskPlacement.of(costs.work(new boolean[] {true, true}), costs.slowness());
        assertThat(moved.ranks().get(1))
                .as("the larger task leaves the slow member")
                .contains(0);
    }
}
