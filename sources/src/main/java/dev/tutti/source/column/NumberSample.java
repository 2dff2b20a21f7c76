package dev.tutti.source.column;

import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * Some thousand numbers out of many, chosen by a hash of their rows: the same ones in whatever order and parts the rows come.
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

    double[] sorted() {
        return kept.stream().mapToDouble(Entry::value).sorted().toArray();
    }
}
