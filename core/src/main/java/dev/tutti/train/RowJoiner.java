package dev.tutti.train;

import dev.tutti.array.NdArray;
import java.util.List;

/** Puts batches of rows back together. */
public final class RowJoiner {
    private RowJoiner() {}

    public static NdArray concatenate(List<NdArray> parts) {
        if (parts.isEmpty()) {
            throw new TrainingException("there was no data to predict for");
        }
        NdArray first = parts.get(0);
        int size = parts.stream().mapToInt(NdArray::size).sum();
        long rows = parts.stream().mapToLong(part -> part.shape().dim(0)).sum();
        Object out = NdArray.allocate(first.type(), size);
        int at = 0;
        for (NdArray part : parts) {
            System.arraycopy(part.data(), 0, out, at, part.size());
            at += part.size();
        }
        return NdArray.wrap(first.type(), first.shape().with(0, rows), out);
    }
}
