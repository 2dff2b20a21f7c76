package dev.tutti.transfer.multitask;

import static dev.tutti.loss.Losses.mse;
import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.optim.Optimizers.sgd;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.array.NdArray;
import dev.tutti.cluster.Cluster;
import dev.tutti.data.Dataset;
import dev.tutti.nn.Graph;
import dev.tutti.strategy.Strategies;
import dev.tutti.train.Fit;
import dev.tutti.train.History;
import dev.tutti.train.Launcher;
import dev.tutti.train.Trainer;
import dev.tutti.train.multitask.GradientCombination;
import dev.tutti.train.multitask.MultiTask;
import dev.tutti.train.multitask.Task;
import dev.tutti.train.replica.Strategy;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Combinations of gradients against plain twins on vectors, and several members against one. */
class TaskGradientsTest {
    private static double[][] vectors(long seed, int tasks, int length) {
        Random random = new Random(seed);
        double[][] vectors = new double[tasks][length];
        for (double[] vector : vectors) {
            for (int i = 0; i < length; i++) {
                vector[i] = random.nextGaussian();
            }
        }
        return vectors;
    }

    private static double dot(double[] a, double[] b) {
        double sum = 0;
        for (int i = 0; i < a.length; i++) {
            sum += a[i] * b[i];
        }
        return sum;
    }

    private static double[][] products(double[][] vectors) {
        double[][] products = new double[vectors.length][vectors.length];
        for (int i = 0; i < vectors.length; i++) {
            for (int j = 0; j < vectors.length; j++) {
                products[i][j] = dot(vectors[i], vectors[j]);
            }
        }
        return products;
    }

    private static double[] combined(GradientCombination way, double[][] vectors) {
        double[] factors = way.factors(products(vectors), 5);
        double[] sum = new double[vectors[0].length];
        for (int t = 0; t < vectors.length; t++) {
            for (int i = 0; i < sum.length; i++) {
                sum[i] += factors[t] * vectors[t][i];
            }
        }
        return sum;
    }

    @Test
    void twoTasksAreProjectedAsThePaperSays() {
        double[][] both = {{1, 0}, {-0.5, 1}};
        double[] first = {1 - 0.5 * 0.5 / 1.25, 0.5 / 1.25};
        double[] second = {0, 1};
        double[] sum = combined(GradientCombination.PC_GRAD, both);
        assertThat(sum[0]).isCloseTo(first[0] + second[0], within(1e-12));
        assertThat(sum[1]).isCloseTo(first[1] + second[1], within(1e-12));
        assertThat(GradientCombination.conflicts(products(both))).isEqualTo(1);
        double[][] friends = {{1, 0}, {0.5, 1}};
        assertThat(combined(GradientCombination.PC_GRAD, friends)).containsExactly(1.5, 1);
    }

    @Test
    void theShortestMeanWorksAgainstNoTask() {
        for (long seed = 0; seed < 20; seed++) {
            double[][] vectors = vectors(seed, 3, 4);
            double[] shortest = combined(GradientCombination.MGDA, vectors);
            double length = dot(shortest, shortest) / 3;
            for (double[] vector : vectors) {
                assertThat(dot(shortest, vector)).isGreaterThan(length - 0.05 * Math.max(1, length));
            }
        }
        double[][] opposite = {{1, 0}, {-3, 0}};
        assertThat(combined(GradientCombination.MGDA, opposite)[0]).isCloseTo(0, within(1e-6));
    }

    @Test
    void conflictAverseGradientsHelpTheWorstTask() {
        for (long seed = 0; seed < 20; seed++) {
            double[][] vectors = vectors(seed, 3, 4);
            double[] mean = combined(GradientCombination.SUM, vectors);
            double[] averse = combined(GradientCombination.CA_GRAD, vectors);
            assertThat(least(averse, vectors)).isGreaterThanOrEqualTo(least(mean, vectors) - 1e-6);
            double[] difference = new double[4];
            for (int i = 0; i < 4; i++) {
                difference[i] = averse[i] - mean[i];
            }
            assertThat(Math.sqrt(dot(difference, difference)))
                    .as("half the length of the mean")
                    .isCloseTo(0.5 * Math.sqrt(dot(mean, mean)), within(1e-6));
        }
    }

    // ---- plain twins, on whole vectors

    /** Each gradient without what points against the others, one after the other. */
    private static double[] projected(double[][] vectors, int own, int... order) {
        double[] left = vectors[own].clone();
        for (int other : order) {
            double along = dot(left, vectors[other]);
            if (along < 0) {
                for (int i = 0; i < left.length; i++) {
                    left[i] -= along / dot(vectors[other], vectors[other]) * vectors[other][i];
                }
            }
        }
        return left;
    }

    @Test
    void threeTasksAreProjectedInSomeOrder() {
        int[][][] orders = {{{1, 2}, {2, 1}}, {{0, 2}, {2, 0}}, {{0, 1}, {1, 0}}};
        for (long seed = 0; seed < 20; seed++) {
            double[][] vectors = vectors(seed, 3, 4);
            double[] sum = combined(GradientCombination.PC_GRAD, vectors);
            double nearest = Double.POSITIVE_INFINITY;
            for (int choice = 0; choice < 8; choice++) {
                double distance = 0;
                double[][] parts = new double[3][];
                for (int task = 0; task < 3; task++) {
                    parts[task] = projected(vectors, task, orders[task][choice >> task & 1]);
                }
                for (int i = 0; i < 4; i++) {
                    distance += Math.abs(sum[i] - parts[0][i] - parts[1][i] - parts[2][i]);
                }
                nearest = Math.min(nearest, distance);
            }
            assertThat(nearest).isLessThan(1e-9);
        }
    }

    @Test
    void theShortestMeanOfTwoIsKnown() {
        for (long seed = 0; seed < 20; seed++) {
            double[][] two = vectors(seed, 2, 3);
            double[] apart = {two[0][0] - two[1][0], two[0][1] - two[1][1], two[0][2] - two[1][2]};
            double share = Math.max(0, Math.min(1, -dot(apart, two[1]) / dot(apart, apart)));
            double[] sum = combined(GradientCombination.MGDA, two);
            for (int i = 0; i < 3; i++) {
                assertThat(sum[i]).isCloseTo(2 * (share * two[0][i] + (1 - share) * two[1][i]), within(1e-6));
            }
        }
    }

    /** The weights of the dual problem by trying many of them. */
    @Test
    void conflictAverseGradientsAreThoseOfTheDualProblem() {
        for (long seed = 0; seed < 10; seed++) {
            double[][] two = vectors(seed, 2, 3);
            double[] mean = {(two[0][0] + two[1][0]) / 2, (two[0][1] + two[1][1]) / 2, (two[0][2] + two[1][2]) / 2};
            double radius = 0.5 * Math.sqrt(dot(mean, mean));
            double[] best = null;
            double least = Double.POSITIVE_INFINITY;
            for (int k = 0; k <= 10_000; k++) {
                double w = k / 10_000.0;
                double[] mixed = new double[3];
                for (int i = 0; i < 3; i++) {
                    mixed[i] = w * two[0][i] + (1 - w) * two[1][i];
                }
                double value = dot(mixed, mean) + radius * Math.sqrt(dot(mixed, mixed));
                best = value < least ? mixed : best;
                least = Math.min(least, value);
            }
            double[] sum = combined(GradientCombination.CA_GRAD, two);
            double length = Math.sqrt(dot(best, best));
            for (int i = 0; i < 3; i++) {
                assertThat(sum[i]).isCloseTo(2 * (mean[i] + radius / length * best[i]), within(0.02));
            }
        }
    }

    /** Gradient descent on {@code exp(-s) * loss + s}, written out. */
    @Test
    void uncertaintiesLearnAsTheirLossSays() {
        double[] memory = new double[4];
        double[] s = new double[2];
        for (int step = 0; step < 30; step++) {
            double[] losses = {2 + Math.sin(step), 0.3};
            double[] factors = GradientCombination.UNCERTAINTY.combine(
                    new double[2][2], new GradientCombination.TaskStep(losses, memory, 0.1, step));
            for (int i = 0; i < 2; i++) {
                assertThat(factors[i]).isCloseTo(Math.exp(-s[i]), within(1e-12));
                s[i] -= 0.1 * (-Math.exp(-s[i]) * losses[i] + 1);
            }
        }
        assertThat(Math.exp(s[1])).as("the variance goes to the loss").isCloseTo(0.3, within(0.1));
    }

    /** The weights of GradNorm move against the slope of their own loss, which is taken numerically. */
    @Test
    void gradientsAreBroughtToLikeLengths() {
        double[] memory = new double[4];
        double[][] products = {{4, 0}, {0, 0.25}};
        double[] weights = {1, 1};
        double[] first = {2, 1};
        for (int step = 0; step < 40; step++) {
            double[] losses = {2 - 0.02 * step, 1 - 0.001 * step};
            double[] factors = GradientCombination.GRAD_NORM.combine(
                    products, new GradientCombination.TaskStep(losses, memory, 0.01, step));
            assertThat(factors[0]).isCloseTo(weights[0], within(1e-6));
            assertThat(factors[1]).isCloseTo(weights[1], within(1e-6));
            double[] lengths = {2, 0.5};
            double mean = (weights[0] * lengths[0] + weights[1] * lengths[1]) / 2;
            double[] behind = {losses[0] / first[0], losses[1] / first[1]};
            double meanBehind = (behind[0] + behind[1]) / 2;
            double[] moved = new double[2];
            for (int i = 0; i < 2; i++) {
                double wanted = mean * Math.pow(behind[i] / meanBehind, 1.5);
                double h = 1e-6;
                double slope = (Math.abs((weights[i] + h) * lengths[i] - wanted)
                                - Math.abs((weights[i] - h) * lengths[i] - wanted))
                        / (2 * h);
                moved[i] = Math.max(1e-3, weights[i] - 0.01 * slope);
            }
            for (int i = 0; i < 2; i++) {
                weights[i] = 2 * moved[i] / (moved[0] + moved[1]);
            }
        }
        assertThat(weights[0] * 2).as("longer gradients count less").isLessThan(weights[1] * 0.5 * 2.5);
    }

    @Test
    void theScaleOfALossDoesNotMatter() {
        GradientCombination free = GradientCombination.SCALE_FREE;
        double[] factors = free.combine(
                new double[2][2], new GradientCombination.TaskStep(new double[] {0.5, 20}, new double[4], 0.1, 0));
        assertThat(factors).containsExactly(2, 0.05);
    }

    @Test
    void theShareOfConflictsIsInTheHistory() {
        History history = history(Cluster.members(2), Strategies.taskGradients(GradientCombination.PC_GRAD));
        assertThat((double) history.strategy().values().get("conflicts")).isBetween(0.01, 1.0);
        assertThat(history.strategy().text()).contains("pointed against each other", "kind/size");
    }

    private static double least(double[] direction, double[][] vectors) {
        double least = Double.POSITIVE_INFINITY;
        for (double[] vector : vectors) {
            least = Math.min(least, dot(direction, vector));
        }
        return least;
    }

    @ParameterizedTest
    @EnumSource(GradientCombination.class)
    void threeMembersEqualOne(GradientCombination way) {
        Map<String, NdArray> alone = trained(Launcher.here(), Strategies.taskGradients(way));
        Map<String, NdArray> together = trained(Cluster.members(3), Strategies.taskGradients(way));
        requireClose(together, alone);
    }

    @Test
    void theirSumIsWhatAllReduceGives() {
        requireClose(
                trained(Cluster.members(2), Strategies.taskGradients(GradientCombination.SUM)),
                trained(Cluster.members(2), Strategies.allReduce()));
    }

    private static void requireClose(Map<String, NdArray> actual, Map<String, NdArray> expected) {
        expected.forEach((name, values) -> {
            for (int i = 0; i < values.size(); i++) {
                assertThat(actual.get(name).at(i)).as(name).isCloseTo(values.at(i), within(2e-5));
            }
        });
    }

    private static Map<String, NdArray> trained(Launcher place, Strategy strategy) {
        MultiTask tasks = tasks();
        try (Trainer trainer = tasks.trainer(sgd(0.1)).seed(4)) {
            trainer.fit(tasks.data(7).batch(24), Fit.epochs(2).quiet().on(place).with(strategy));
            return trainer.model().arrays();
        }
    }

    private static History history(Launcher place, Strategy strategy) {
        MultiTask tasks = tasks();
        try (Trainer trainer = tasks.trainer(sgd(0.1)).seed(4)) {
            return trainer.fit(
                    tasks.data(7).batch(24), Fit.epochs(2).quiet().on(place).with(strategy));
        }
    }

    private static MultiTask tasks() {
        Graph graph = Graph.inputs("x")
                .add("trunk", dense(8).tanh(), "x")
                .add("kind", dense(3), "trunk")
                .add("size", dense(1), "trunk")
                .outputs("kind", "size");
        Random random = new Random(3);
        float[] x = new float[96 * 4];
        long[] kinds = new long[96];
        float[] sizes = new float[96];
        for (int i = 0; i < 96; i++) {
            for (int j = 0; j < 4; j++) {
                x[i * 4 + j] = (float) random.nextGaussian();
            }
            kinds[i] = x[i * 4] > 0.5 ? 2 : x[i * 4] > -0.5 ? 1 : 0;
            sizes[i] = -x[i * 4] + x[i * 4 + 1];
        }
        MultiTask tasks = MultiTask.of(
                graph,
                Task.of("kind", Dataset.of(NdArray.of(x, 96, 4), NdArray.of(kinds, 96)), "kind", softmaxCrossEntropy()),
                Task.of("size", Dataset.of(NdArray.of(x, 96, 4), NdArray.of(sizes, 96, 1)), "size", mse())
                        .weight(0.7));
        return tasks;
    }
}
