package dev.tutti.train;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.metric.Metrics.accuracy;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.nn.Layers.dropout;
import static dev.tutti.optim.Optimizers.adam;

import dev.tutti.array.NdArray;
import dev.tutti.data.Dataset;
import dev.tutti.nn.Sequential;
import java.util.SplittableRandom;

/** A small task that can be learned in no time: points round three centres. */
public final class Blobs {
    public static final int CLASSES = 3;
    private static final int FEATURES = 4;

    private Blobs() {}

    public static Dataset data(int rows) {
        return data(rows, 1);
    }

    public static Dataset data(int rows, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        float[] features = new float[rows * FEATURES];
        long[] labels = new long[rows];
        for (int row = 0; row < rows; row++) {
            labels[row] = random.nextInt(CLASSES);
            for (int i = 0; i < FEATURES; i++) {
                double centre = i == labels[row] ? 2 : 0;
                features[row * FEATURES + i] = (float) (centre + random.nextDouble() - 0.5);
            }
        }
        return Dataset.of(NdArray.of(features, rows, FEATURES), NdArray.of(labels, rows));
    }

    /** With dropout, so that what is random takes part in every comparison. */
    public static Sequential model() {
        return Sequential.of(dense(16).relu(), dropout(0.2), dense(CLASSES));
    }

    public static Trainer trainer() {
        return Trainer.of(model(), adam(0.01), softmaxCrossEntropy())
                .metrics(accuracy())
                .seed(3)
                .cores(1);
    }
}
