package dev.tutti.data.source;

import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.data.Batch;
import dev.tutti.data.Sample;
import java.util.ArrayList;
import java.util.List;

/** The rows of arrays along their first axis. */
final class ArrayRows implements Source.BatchRows {
    private final List<Column> features;
    private final List<Column> labels;
    private final long size;

    ArrayRows(List<NdArray> features, List<NdArray> labels) {
        this.features = features.stream().map(Column::new).toList();
        this.labels = labels.stream().map(Column::new).toList();
        this.size = features.get(0).shape().dim(0);
    }

    /** One array and what there is to know about its rows, found once instead of for each row. */
    private static final class Column {
        private final NdArray array;
        private final Shape rowShape;
        private final int rowLength;

        Column(NdArray array) {
            this.array = array;
            this.rowShape = array.shape().from(1);
            this.rowLength = Math.toIntExact(rowShape.size());
        }

        NdArray rows(long[] numbers) {
            Object rows = NdArray.allocate(array.type(), Math.multiplyExact(numbers.length, rowLength));
            for (int i = 0; i < numbers.length; i++) {
                int from = Math.toIntExact(numbers[i]) * rowLength;
                System.arraycopy(array.data(), from, rows, i * rowLength, rowLength);
            }
            return NdArray.wrap(array.type(), rowShape.prepend(numbers.length), rows);
        }

        NdArray row(int number) {
            Object row = NdArray.allocate(array.type(), rowLength);
            System.arraycopy(array.data(), number * rowLength, row, 0, rowLength);
            return NdArray.wrap(array.type(), rowShape, row);
        }
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public Batch rows(long[] numbers) {
        return new Batch(
                features.stream().map(column -> column.rows(numbers)).toList(),
                labels.stream().map(column -> column.rows(numbers)).toList(),
                numbers.length);
    }

    @Override
    public Sample row(long number) {
        int at = Math.toIntExact(number);
        return new Sample(rows(features, at), rows(labels, at));
    }

    private static List<NdArray> rows(List<Column> columns, int number) {
        if (columns.size() == 1) {
            return List.of(columns.get(0).row(number));
        }
        List<NdArray> rows = new ArrayList<>(columns.size());
        for (Column column : columns) {
            rows.add(column.row(number));
        }
        return rows;
    }
}
