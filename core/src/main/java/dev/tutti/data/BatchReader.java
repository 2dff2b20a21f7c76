package dev.tutti.data;

/**
 * Reads one epoch, or a chunk of one, batch by batch.
 *
 * <p>Order of calls: {@link #next} until it returns null, {@link #position} at any time in between, then {@link
 * #close}. A reader belongs to one thread; two readers of one dataset know nothing of each other.
 */
public interface BatchReader extends AutoCloseable {
    /**
     * The next batch, or null at the end.
     *
     * @throws DataException if a row cannot be read or made; the reader is of no use after that
     */
    Batch next();

    /** The place just behind the last batch that {@link #next} returned. */
    Position position();

    @Override
    void close();
}
