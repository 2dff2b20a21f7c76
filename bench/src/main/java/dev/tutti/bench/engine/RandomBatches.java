package dev.tutti.bench.engine;

import dev.tutti.array.NdArray;
import dev.tutti.data.Batch;
import dev.tutti.nn.Input;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Random batches for a model, kept in memory and taken in turn. */
final class RandomBatches {
    private static final int COUNT = 8;

    private RandomBatches() {}

    static List<Batch> of(Input input, int vocabulary, int classes, int size) {
        Random random = new Random(7);
        List<Batch> batches = new ArrayList<>();
        for (int i = 0; i < COUNT; i++) {
            NdArray features = features(input, vocabulary, size, random);
            long[] labels = random.longs(size, 0, classes).toArray();
            batches.add(new Batch(List.of(features), List.of(NdArray.of(labels, size)), size));
        }
        return batches;
    }

    private static NdArray features(Input input, int vocabulary, int size, Random random) {
        long[] shape = input.shape().prepend(size).toArray();
        int length = Math.toIntExact(input.shape().size() * size);
        if (!input.type().isFloating()) {
            return NdArray.of(random.longs(length, 0, vocabulary).toArray(), shape);
        }
        float[] values = new float[length];
        for (int i = 0; i < length; i++) {
            values[i] = (float) random.nextGaussian();
        }
        return NdArray.of(values, shape);
    }
}
