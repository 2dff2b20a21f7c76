package dev.tutti.strategy.parallel.pipeline;

import dev.tutti.array.NdArray;
import dev.tutti.array.Range;
import dev.tutti.data.Batch;
import dev.tutti.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * Some rows of a batch, which go through the pipeline together.
 *
 * @param batch the batch, which counts as a whole where results are measured
 * @param rows which of its rows
 */
public record MicroBatch(Batch batch, Range rows) {
    /** A batch in nearly equal parts, as many as asked for or as it has rows. */
    public static List<MicroBatch> of(Batch batch, int parts) {
        int count = Math.max(1, Math.min(parts, batch.size()));
        List<MicroBatch> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(new MicroBatch(batch, new Range(0, batch.size()).part(i, count)));
        }
        return all;
    }

    public int size() {
        return Math.toIntExact(rows.length());
    }

    List<Tensor> features() {
        return tensors(batch.features());
    }

    List<Tensor> labels() {
        return tensors(batch.labels());
    }

    private List<Tensor> tensors(List<NdArray> arrays) {
        return arrays.stream()
                .map(array -> Tensor.of(array, rows, dev.tutti.tensor.Device.CPU))
                .toList();
    }
}
