package dev.tutti.source.column;

import dev.tutti.array.NdArray;
import dev.tutti.data.Batch;
import dev.tutti.data.source.Source;
import dev.tutti.source.column.ColumnEncoder.Encoding;
import dev.tutti.source.column.ColumnEncoder.Form;
import dev.tutti.source.column.ColumnEncoder.Target;
import dev.tutti.source.table.ColumnStore;
import dev.tutti.source.table.ColumnValues;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Rows of a table as the arrays its columns make, a batch at a time. */
final class EncodedRows implements Source.BatchRows {
    private final ColumnStore store;
    private final long[] good;
    private final Optional<LabelColumn> label;
    private final Optional<String> weight;
    private final List<Bound> bound = new ArrayList<>();
    private final int numbers;
    private final int ids;

    /** An encoder ready for this table: where its columns are and where its results go. */
    private record Bound(ColumnEncoder encoder, Encoding encoding, int[] columns, int offset, long base) {}

    /** @param good the numbers of the rows to give, or null for all of them */
    EncodedRows(ColumnStore store, Columns columns, long[] good) {
        this.store = store;
        this.good = good;
        this.label = columns.label().filter(known -> store.schema().has(known.column()));
        this.weight = columns.weight().filter(store.schema()::has);
        int dense = 0;
        int places = 0;
        long base = 0;
        for (ColumnEncoder encoder : columns.inputs()) {
            int[] at = encoder.reads().keySet().stream()
                    .mapToInt(store.schema()::indexOf)
                    .toArray();
            boolean isId = encoder.form() == Form.ID;
            int offset = isId ? places : encoder.form() == Form.DENSE ? dense : 0;
            bound.add(new Bound(encoder, encoder.bind(), at, offset, isId ? base : 0));
            if (isId) {
                places++;
                base += encoder.ids();
            } else if (encoder.form() == Form.DENSE) {
                dense += encoder.width();
            }
        }
        this.numbers = dense;
        this.ids = places;
    }

    @Override
    public long size() {
        return good == null ? store.rows() : good.length;
    }

    @Override
    public Batch rows(long[] asked) {
        long[] rows = asked;
        if (good != null) {
            rows = new long[asked.length];
            for (int i = 0; i < rows.length; i++) {
                rows[i] = good[Math.toIntExact(asked[i])];
            }
        }
        int count = rows.length;
        ColumnValues[] gathered = new ColumnValues[store.schema().size()];
        float[] dense = new float[count * numbers];
        long[] places = new long[count * ids];
        List<NdArray> sequences = new ArrayList<>();
        for (Bound each : bound) {
            ColumnValues[] values = new ColumnValues[each.columns.length];
            for (int i = 0; i < values.length; i++) {
                int column = each.columns[i];
                gathered[column] = gathered[column] == null ? store.gather(column, rows) : gathered[column];
                values[i] = gathered[column];
            }
            int width = each.encoder.width();
            switch (each.encoder.form()) {
                case DENSE -> each.encoding.encode(values, count, new Target(dense, null, each.offset, numbers, 0));
                case ID -> each.encoding.encode(values, count, new Target(null, places, each.offset, ids, each.base));
                case SEQUENCE -> {
                    long[] sequence = new long[count * width];
                    each.encoding.encode(values, count, new Target(null, sequence, 0, width, 0));
                    sequences.add(NdArray.of(sequence, count, width));
                }
            }
        }
        List<NdArray> features = new ArrayList<>();
        if (numbers > 0) {
            features.add(NdArray.of(dense, count, numbers));
        }
        if (ids > 0) {
            features.add(NdArray.of(places, count, ids));
        }
        features.addAll(sequences);
        return new Batch(features, labels(rows), count);
    }

    private List<NdArray> labels(long[] rows) {
        List<NdArray> labels = new ArrayList<>();
        label.ifPresent(known ->
                labels.add(known.encode(store.gather(store.schema().indexOf(known.column()), rows), rows.length)));
        weight.filter(name -> label.isPresent()).ifPresent(name -> {
            ColumnValues values = store.gather(store.schema().indexOf(name), rows);
            float[] weights = new float[rows.length];
            for (int row = 0; row < weights.length; row++) {
                weights[row] = (float) values.number(row);
            }
            labels.add(NdArray.of(weights, weights.length));
        });
        return labels;
    }
}
