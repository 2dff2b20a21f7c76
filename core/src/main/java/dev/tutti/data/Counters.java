package dev.tutti.data;

import java.util.ArrayList;
import java.util.List;

/** What the stages have counted: written by each flow in turn and read back in the same order. */
final class Counters {
    private final List<Long> values;
    private final boolean start;
    private int read;

    private Counters(List<Long> values, boolean start) {
        this.values = values;
        this.start = start;
    }

    /** Stands for the beginning of an epoch: every counter is 0. */
    static Counters start() {
        return new Counters(List.of(), true);
    }

    static Counters empty() {
        return new Counters(new ArrayList<>(), false);
    }

    static Counters of(List<Long> values) {
        return new Counters(values, false);
    }

    boolean isStart() {
        return start;
    }

    void add(long value) {
        values.add(value);
    }

    void addAll(Counters other) {
        values.addAll(other.values);
    }

    long next() {
        if (start) {
            return 0;
        }
        if (read == values.size()) {
            throw foreign();
        }
        return values.get(read++);
    }

    void requireAllRead() {
        if (read != values.size()) {
            throw foreign();
        }
    }

    List<Long> values() {
        return List.copyOf(values);
    }

    private static DataException foreign() {
        return new DataException("this position does not belong to this dataset: it was saved with other stages."
                + " Open the same recipe it came from, or start the epoch again.");
    }
}
