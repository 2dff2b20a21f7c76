package dev.tutti.cluster.journal;

import dev.tutti.cluster.coordinator.Fact;
import dev.tutti.io.FileException;
import java.util.List;

/**
 * Keeps the facts of a coordinator through its death: a file of its folder ({@link Journal}), or a log that is replicated.
 *
 * <p>Order of calls: {@link #entries} once, then {@link #append} for what every event led to, and {@link #compact} whenever it
 * {@link #isLong}. One thread at a time.
 */
public interface CoordinatorLog extends AutoCloseable {
    /** What was decided before, in its order. */
    List<Journal.Entry> entries();

    /**
     * Writes down what an event led to; returns when it cannot be lost any more.
     *
     * @throws FileException if it cannot: the coordinator then says nothing more
     */
    void append(long at, List<Fact> facts);

    /** Whether it has grown so much that a summary is worth its while. */
    boolean isLong();

    /** Begins anew with what all that was appended so far comes to. */
    void compact(List<Journal.Entry> summary);

    @Override
    void close();
}
