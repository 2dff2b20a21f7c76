package dev.tutti.table;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The gradients of the rows that a step has touched, of all tables of a model: what the vector of gradients is for other parameters. Sums
 * depend on the order of {@link #add}, and on nothing else. One thread at a time uses it.
 */
public final class RowGradients {
    /** Rows of one table. */
    private static final class Rows {
        private final int width;
        private final RowIndex index;
        private float[] values;

        /** @param expected how many rows there may be at first */
        Rows(int width, int expected) {
            this.width = width;
            index = new RowIndex(expected);
            values = new float[Math.multiplyExact(expected, width)];
        }

        void add(long id, float[] from, int at) {
            int place = index.add(id) * width;
            if (place + width > values.length) {
                values = Arrays.copyOf(values, Math.max(64 * width, Math.multiplyExact(place + width, 3) / 2));
            }
            for (int i = 0; i < width; i++) {
                values[place + i] += from[at + i];
            }
        }

        int length() {
            return index.size() * width;
        }

        /** All values; a copy where there is room behind them. */
        float[] exact() {
            return values.length == length() ? values : Arrays.copyOf(values, length());
        }
    }

    /**
     * Gradients of one table, which are read before more are added, and not changed.
     *
     * @param ids of which none comes twice
     * @param values a row for each, one behind the other
     */
    @SuppressWarnings("ArrayRecordComponent") // not compared; a copy of the rows would cost more than it gives
    public record Part(long[] ids, float[] values) {}

    private final Map<String, Rows> tables = new LinkedHashMap<>();

    public void clear() {
        tables.clear();
    }

    public boolean isEmpty() {
        return tables.isEmpty();
    }

    /** The tables that rows were touched of. */
    public Set<String> tables() {
        return tables.keySet();
    }

    /** Adds gradients of rows, one behind the other in the order of the ids. */
    public void add(String table, int width, long[] ids, float[] values) {
        if (values.length != (long) ids.length * width) {
            throw new IllegalArgumentException("table " + table + ": expected " + ids.length + " rows of " + width
                    + " numbers, received " + values.length + " numbers");
        }
        Rows rows = tables.computeIfAbsent(table, name -> new Rows(width, ids.length));
        for (int i = 0; i < ids.length; i++) {
            rows.add(ids[i], values, i * width);
        }
    }

    public void add(RowGradients other) {
        other.tables.forEach((name, rows) -> add(name, rows.width, rows.index.ids(), rows.exact()));
    }

    /** What was added for a table. */
    public Part of(String table) {
        Rows rows = tables.get(table);
        return rows == null ? new Part(new long[0], new float[0]) : new Part(rows.index.ids(), rows.exact());
    }

    public void scale(double factor) {
        if (factor == 1) {
            return;
        }
        tables.values().forEach(rows -> {
            for (int i = 0; i < rows.length(); i++) {
                rows.values[i] = (float) (rows.values[i] * factor);
            }
        });
    }

    /** Cuts each number to between {@code -most} and {@code most}. */
    public void clamp(double most) {
        tables.values().forEach(rows -> {
            for (int i = 0; i < rows.length(); i++) {
                rows.values[i] = (float) Math.max(-most, Math.min(most, rows.values[i]));
            }
        });
    }

    /** The square of their length as one vector. */
    public double squaredNorm() {
        double sum = 0;
        for (Rows rows : tables.values()) {
            for (int i = 0; i < rows.length(); i++) {
                sum += (double) rows.values[i] * rows.values[i];
            }
        }
        return sum;
    }
}
