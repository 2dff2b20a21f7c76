package dev.tutti.data;

import dev.tutti.array.NdArray;
import java.util.List;

/**
 * One row: what the model sees and what it should answer, usually one array of each. Labels may be missing.
 *
 * <p>Samples are shared, for instance by a cache: a transform makes new arrays and never writes to those it was given.
 */
public record Sample(List<NdArray> features, List<NdArray> labels) {
    public Sample {
        features = List.copyOf(features);
        labels = List.copyOf(labels);
    }

    public static Sample of(NdArray feature, NdArray label) {
        return new Sample(List.of(feature), List.of(label));
    }

    /** A row without a label, for prediction. */
    public static Sample of(NdArray feature) {
        return new Sample(List.of(feature), List.of());
    }

    /** The first feature. */
    public NdArray feature() {
        return features.get(0);
    }

    /** The first label. */
    public NdArray label() {
        if (labels.isEmpty()) {
            throw new IllegalStateException("this sample has no label");
        }
        return labels.get(0);
    }
}
