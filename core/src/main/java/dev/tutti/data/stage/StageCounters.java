package dev.tutti.data.stage;

import dev.tutti.data.DataException;
import java.util.ArrayList;
import java.util.List;

/** What the stages have counted: written by each flow in turn and read back in the same order. */
public final class StageCounters {
    private final List<Long> values;
    private final boolean start;
    private int read;

    private StageCounters(List<Long> values, boolean start) {
        this.values = values;
        this.start = start;
    }

    /** Stands for the beginning of an epoch: every counter is 0. */
    public static StageCounters start() {
        return new StageCounters(List.of(), true);
    }

    static StageCounters empty() {
        return new StageCounters(new ArrayList<>(), false);
    }

    public static StageCounters of(List<Long> values) {
        return new StageCounters(values, false);
    }

    public boolean isStart() {
        return start;
    }

    public void add(long value) {
        values.add(value);
    }

    void addAll(StageCounters other) {
        values.addAll(other.values);
    }

    public long next() {
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
