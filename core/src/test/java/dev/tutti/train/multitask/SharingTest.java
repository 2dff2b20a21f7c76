package dev.tutti.train.multitask;

import static dev.tutti.loss.Losses.mse;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.nn.Layers.expertGate;
import static dev.tutti.nn.Layers.experts;
import static dev.tutti.optim.Optimizers.adam;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.array.NdArray;
import dev.tutti.data.Dataset;
import dev.tutti.nn.Graph;
import dev.tutti.train.Fit;
import dev.tutti.train.Trainer;
import java.util.List;
import java.util.Random;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

/** The synthetic pair of tasks of Ma et al. (2018): labels of sines over two directions whose cosine is chosen. */
class SharingTest {
    private static final int WIDTH = 16;
    private static final int ROWS = 1500;

    /** @param cosine between the directions of the two tasks: 1 for the same task */
    private static List<Dataset> pair(double cosine, int rows, long seed) {
        Random directions = new Random(3);
        double[] first = unit(directions, null);
        double[] other = unit(directions, first);
        Random random = new Random(seed);
        float[] x = new float[rows * WIDTH];
        float[][] labels = new float[2][rows];
        for (int i = 0; i < rows; i++) {
            double along = 0;
            double across = 0;
            for (int j = 0; j < WIDTH; j++) {
                x[i * WIDTH + j] = (float) random.nextGaussian();
                along += first[j] * x[i * WIDTH + j];
                across += other[j] * x[i * WIDTH + j];
            }
            double second = cosine * along + Math.sqrt(1 - cosine * cosine) * across;
            labels[0][i] = (float) (along + Math.sin(2 * along) + 0.01 * random.nextGaussian());
            labels[1][i] = (float) (second + Math.sin(2 * second) + 0.01 * random.nextGaussian());
        }
        NdArray features = NdArray.of(x, rows, WIDTH);
        return List.of(
                Dataset.of(features, NdArray.of(labels[0], rows, 1)),
                Dataset.of(features, NdArray.of(labels[1], rows, 1)));
    }

    private static double[] unit(Random random, double[] across) {
        double[] direction = random.doubles(WIDTH, -1, 1).toArray();
        if (across != null) {
            double along = 0;
            for (int i = 0; i < WIDTH; i++) {
                along += direction[i] * across[i];
            }
            for (int i = 0; i < WIDTH; i++) {
                direction[i] -= along * across[i];
            }
        }
        double length = Math.sqrt(DoubleStream.of(direction).map(v -> v * v).sum());
        return DoubleStream.of(direction).map(v -> v / length).toArray();
    }

    private static Graph sharedBottom() {
        return Graph.inputs("x")
                .add("trunk", dense(22).relu(), "x")
                .add("a", dense(1), "trunk")
                .add("b", dense(1), "trunk")
                .outputs("a", "b");
    }

    /** Four experts of width four and two gates: 418 parameters, where the shared trunk has 420. */
    private static Graph mixture() {
        return Graph.inputs("x")
                .add("experts", experts(4, dense(4).relu()), "x")
                .add("gateA", expertGate(), "x", "experts")
                .add("gateB", expertGate(), "x", "experts")
                .add("a", dense(1), "gateA")
                .add("b", dense(1), "gateB")
                .outputs("a", "b");
    }

    private static double loss(Graph graph, double cosine, long seed) {
        List<Dataset> learn = pair(cosine, ROWS, seed);
        MultiTask tasks =
                MultiTask.of(graph, Task.of("a", learn.get(0), "a", mse()), Task.of("b", learn.get(1), "b", mse()));
        try (Trainer trainer = tasks.trainer(adam(0.01)).seed(seed).cores(1)) {
            trainer.fit(tasks.data(seed).batch(64), Fit.epochs(12).quiet());
            return trainer.evaluate(MultiTask.validation(pair(cosine, 800, seed + 100)))
                    .loss();
        }
    }

    private static double median(Graph graph, double cosine) {
        double[] losses = new double[3];
        for (int seed = 0; seed < losses.length; seed++) {
            losses[seed] = loss(graph, cosine, seed + 1);
        }
        return DoubleStream.of(losses).sorted().toArray()[1];
    }

    @Test
    void expertsAreAheadOfASharedTrunkWhereTasksDiffer() {
        double trunk = median(sharedBottom(), 0.2);
        double mixture = median(mixture(), 0.2);
        assertThat(mixture).isLessThan(trunk);
    }
}
