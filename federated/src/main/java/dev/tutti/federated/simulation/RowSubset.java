package dev.tutti.federated.simulation;

import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.data.Batch;
import dev.tutti.data.source.Source;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** Rows of a table that one simulated client owns. */
final class RowSubset implements Source {
    private final PartitionTable table;
    private final int[] chosen;

    RowSubset(PartitionTable table, int[] chosen) {
        this.table = table;
        this.chosen = chosen;
    }

    @Override
    public OptionalLong size() {
        return OptionalLong.of(chosen.length);
    }

    @Override
    public Rows open() {
        return new BatchRows() {
            @Override
            public long size() {
                return chosen.length;
            }

            @Override
            public Batch rows(long[] numbers) {
                return new Batch(gather(table.features(), numbers), gather(table.labels(), numbers), numbers.length);
            }
        };
    }

    private List<NdArray> gather(List<NdArray> columns, long[] numbers) {
        List<NdArray> rows = new ArrayList<>(columns.size());
        for (NdArray column : columns) {
            Shape shape = column.shape().from(1);
            int length = Math.toIntExact(shape.size());
            Object data = NdArray.allocate(column.type(), numbers.length * length);
            for (int i = 0; i < numbers.length; i++) {
                System.arraycopy(column.data(), chosen[(int) numbers[i]] * length, data, i * length, length);
            }
            rows.add(NdArray.wrap(column.type(), shape.prepend(numbers.length), data));
        }
        return rows;
    }

    @Override
    public String toString() {
        return chosen.length + " rows of a simulated client";
    }
}
