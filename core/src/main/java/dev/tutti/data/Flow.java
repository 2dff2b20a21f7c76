package dev.tutti.data;

/** The rows of one epoch at some stage, from front to back, with a place that can be saved and gone back to. */
interface Flow extends AutoCloseable {
    /** The next row, or null at the end. */
    Row next();

    /**
     * Adds the counters of this flow, then those of the flow below it. Opening the same flow with them gives the rows
     * that would have come next.
     */
    void save(Counters into);

    @Override
    void close();
}
