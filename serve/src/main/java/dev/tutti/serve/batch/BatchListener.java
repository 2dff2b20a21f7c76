package dev.tutti.serve.batch;

/** Hears of every batch, for metrics; called on the computing thread. */
@FunctionalInterface
public interface BatchListener {
    BatchListener NONE = (rows, requests, seconds) -> {};

    /** A batch of so many rows of so many requests was computed in that time. */
    void computed(int rows, int requests, double seconds);
}
