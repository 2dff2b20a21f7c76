package dev.tutti.strategy;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.optim.Optimizers.sgd;

import dev.tutti.array.NdArray;
import dev.tutti.data.Dataset;
import dev.tutti.nn.Sequential;
import dev.tutti.train.Fit;
import dev.tutti.train.Trainer;
import java.util.Map;
import java.util.Random;

/** Points around three centres: data that a small model learns in a moment. */
public final class Blobs {
    public static final int CLASSES = 3;
    private static final int FEATURES = 4;

    private Blobs() {}

    public static Dataset data(int rows) {
        Random random = new Random(11);
        float[] features = new float[rows * FEATURES];
        long[] labels = new long[rows];
        for (int row = 0; row < rows; row++) {
            labels[row] = row % CLASSES;
            for (int i = 0; i < FEATURES; i++) {
                features[row * FEATURES + i] = (float) (random.nextGaussian() + 2 * Math.sin(labels[row] * 2 + i));
            }
        }
        return Dataset.of(NdArray.of(features, rows, FEATURES), NdArray.of(labels, rows));
    }

    /** Without dropout: its draws belong to workers. */
    public static Trainer trainer() {
        return Trainer.of(Sequential.of(dense(8).tanh(), dense(CLASSES)), sgd(0.1).momentum(0.9), softmaxCrossEntropy())
                .cores(1);
    }

    public static Map<String, NdArray> weightsAfter(Dataset data, Fit fit) {
        try (Trainer trainer = trainer()) {
            trainer.fit(data, fit);
            return trainer.model().arrays();
        }
    }
}
