package dev.tutti.data.source;

import dev.tutti.array.NdArray;
import dev.tutti.data.DataException;
import java.util.List;
import java.util.OptionalLong;

/** Arrays in memory, shared by all readers. */
public final class ArraySource implements Source {
    private final List<NdArray> features;
    private final List<NdArray> labels;
    private final long size;

    public ArraySource(List<NdArray> features, List<NdArray> labels) {
        this.features = List.copyOf(features);
        this.labels = List.copyOf(labels);
        if (features.isEmpty()) {
            throw new DataException("a dataset needs at least one array of features");
        }
        this.size = rows(features.get(0), "features[0]");
        requireRows(features, "features");
        requireRows(labels, "labels");
    }

    private void requireRows(List<NdArray> arrays, String name) {
        for (int i = 0; i < arrays.size(); i++) {
            long rows = rows(arrays.get(i), name + "[" + i + "]");
            if (rows != size) {
                throw new DataException("features and labels must have one row each: features[0] has " + size
                        + " rows, " + name + "[" + i + "] has " + rows);
            }
        }
    }

    private static long rows(NdArray array, String name) {
        if (array.shape().rank() == 0) {
            throw new DataException(name + " is a single number: expected an array whose first axis are the rows");
        }
        return array.shape().dim(0);
    }

    @Override
    public OptionalLong size() {
        return OptionalLong.of(size);
    }

    @Override
    public Rows open() {
        return new ArrayRows(features, labels);
    }

    @Override
    public String toString() {
        return "arrays(" + features + ", " + labels + ")";
    }
}
