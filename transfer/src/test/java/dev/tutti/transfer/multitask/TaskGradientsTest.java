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
        try (Trainer trainer = tasks.trainer(sgd(0.1)).seed(4)) {
            trainer.fit(tasks.data(7).batch(24), Fit.epochs(2).quiet().on(place).with(strategy));
            return trainer.model().arrays();
        }
    }
}
