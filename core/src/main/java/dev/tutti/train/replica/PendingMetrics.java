package dev.tutti.train.replica;

/** What a member has measured since the last agreement, such as how many of its samples the model got right. */
public interface PendingMetrics {
    /** Nothing was measured. */
    PendingMetrics NONE = agreement -> {};

    /**
     * Adds what all others have measured, so that it is not lost when one of them is. A strategy calls it once for each
     * agreement, before anything that was agreed on counts; all members call it at the same place.
     */
    void gather(Agreement agreement);
}
