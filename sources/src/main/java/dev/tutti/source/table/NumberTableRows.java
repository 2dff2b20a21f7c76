package dev.tutti.source.table;

import dev.tutti.array.NdArray;
import dev.tutti.data.Batch;
import dev.tutti.data.DataException;
import dev.tutti.data.source.Source;
import java.util.List;

/** The rows of a table of numbers: all columns but the label as one float32 array, the label as another. */
final class NumberTableRows implements Source.BatchRows {
    private final ColumnStore store;
    private final String name;
    private final int label;
    private final int[] features;

    NumberTableRows(ColumnStore store, String label, String name) {
        this.store = store;
        this.name = name;
        Schema schema = store.schema();
        this.label = label == null ? -1 : schema.indexOf(label);
        for (Schema.Column column : schema.columns()) {
            if (column.type() == ColumnType.TEXT || column.type() == ColumnType.TIME) {
                throw new DataException("column '" + column.name() + "' of " + name + " holds " + column.type()
                        + ", which is no number: say how columns become arrays with 'preprocessing: {type: columns, ...}'"
                        + " (./tutti init writes that), or leave it out with 'columns'");
            }
        }
        this.features = java.util.stream.IntStream.range(0, schema.size())
                .filter(i -> i != this.label)
                .toArray();
        if (features.length == 0) {
            throw new DataException(name + " has no column but the label");
        }
    }

    @Override
    public long size() {
        return store.rows();
    }

    @Override
    public Batch rows(long[] numbers) {
        float[] all = new float[numbers.length * features.length];
        for (int f = 0; f < features.length; f++) {
            fill(features[f], numbers, all, f, features.length);
        }
        NdArray array = NdArray.of(all, numbers.length, features.length);
        if (label < 0) {
            return new Batch(List.of(array), List.of(), numbers.length);
        }
        float[] labels = new float[numbers.length];
        fill(label, numbers, labels, 0, 1);
        return new Batch(List.of(array), List.of(NdArray.of(labels, numbers.length, 1)), numbers.length);
    }

    private void fill(int column, long[] numbers, float[] out, int offset, int stride) {
        ColumnValues values = store.gather(column, numbers);
        for (int i = 0; i < numbers.length; i++) {
            if (values.isMissing(i)) {
                throw new DataException("row " + numbers[i] + " of " + name + " has no value in column '"
                        + store.schema().column(column).name() + "': say what stands for missing values with"
                        + " 'preprocessing: {type: columns, ...}'");
            }
            out[i * stride + offset] = (float) values.number(i);
        }
    }
}
