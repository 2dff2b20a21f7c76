package dev.tutti.source.column;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * Some thousand numbers out of many, chosen by a hash of their rows: the same ones for any order and parts of the rows.
 * Quantiles of up to so many rows are exact.
 */
final class NumberSample {
    static final int SIZE = 1 << 14;

    private final PriorityQueue<Entry> kept =
            new PriorityQueue<>(Comparator.comparingLong(Entry::hash).reversed());

    private record Entry(long hash, double value) {}

    void add(double value, long rowNumber) {
        if (!Double.isNaN(value)) {
            keep(new Entry(TextHash.mixed(rowNumber + 1) ^ Long.MIN_VALUE, value));
        }
    }

    private void keep(Entry entry) {
        if (kept.size() < SIZE) {
            kept.add(entry);
        } else if (entry.hash < kept.peek().hash) {
            kept.poll();
            kept.add(entry);
        }
    }

    void merge(NumberSample other) {
        other.kept.forEach(this::keep);
    }

    void write(DataOutput out) throws IOException {
        out.writeInt(kept.size());
        for (Entry entry : kept) {
            out.writeLong(entry.hash);
            out.writeDouble(entry.value);
        }
    }

    void merge(DataInput written) throws IOException {
        for (int left = written.readInt(); left > 0; left--) {
            keep(new Entry(written.readLong(), written.readDouble()));
        }
    }

    double[] sorted() {
        return kept.stream().mapToDouble(Entry::value).sorted().toArray();
    }
}
