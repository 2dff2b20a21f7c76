package dev.tutti.data.stage;

/** The rows of one epoch at some stage, from front to back, with a place that can be saved and gone back to. */
public interface RowFlow extends AutoCloseable {
    /** The next row, or null at the end. */
    Row next();

    /**
     * Adds the counters of this flow, then those of the flow below it. Opening the same flow with them gives the rows
     * that would have come next.
     */
    void save(StageCounters into);

    @Override
    void close();
}
