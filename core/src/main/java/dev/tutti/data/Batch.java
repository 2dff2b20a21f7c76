package dev.tutti.data;

import dev.tutti.array.NdArray;
import java.util.List;

/**
 * Rows stacked into arrays whose first axis is the batch. The last batch of an epoch may be smaller than the others.
 */
public record Batch(List<NdArray> features, List<NdArray> labels, int size) {
    public Batch {
        features = List.copyOf(features);
        labels = List.copyOf(labels);
    }

    public NdArray features(int index) {
        return features.get(index);
    }

    public NdArray labels(int index) {
        if (labels.isEmpty()) {
            throw new IllegalStateException("this batch has no labels");
        }
        return labels.get(index);
    }

    /** The first feature. */
    public NdArray feature() {
        return features(0);
    }

    /** The first label. */
    public NdArray label() {
        return labels(0);
    }
}
