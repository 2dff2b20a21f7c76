package dev.tutti.data;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import java.util.List;

/** Types and shapes of one row, without the batch. */
public record SampleSpec(List<ArraySpec> features, List<ArraySpec> labels) {
    public SampleSpec {
        features = List.copyOf(features);
        labels = List.copyOf(labels);
    }

    /** Type and shape of one array of a row. */
    public record ArraySpec(DType type, Shape shape) {
        @Override
        public String toString() {
            return type + shape.toString();
        }
    }

    static SampleSpec of(Sample sample) {
        return new SampleSpec(specs(sample.features()), specs(sample.labels()));
    }

    private static List<ArraySpec> specs(List<NdArray> arrays) {
        return arrays.stream()
                .map(array -> new ArraySpec(array.type(), array.shape()))
                .toList();
    }

    /** The first feature. */
    public ArraySpec feature() {
        return features.get(0);
    }

    @Override
    public String toString() {
        return "features " + features + ", labels " + labels;
    }
}
