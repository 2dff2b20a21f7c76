package dev.tutti.data;

import java.util.Optional;
import java.util.function.Consumer;

/**
 * Reads one epoch, or a chunk of one, batch by batch.
 *
 * <p>Order of calls: {@link #next} until it is empty, {@link #position} at any time in between, then {@link
 * #close}, or {@link #forEach} for all that is left. A reader belongs to one thread; two readers of one dataset know nothing of each other.
 */
public interface BatchReader extends AutoCloseable {
    /**
     * The next batch; empty at the end, also when it is asked again.
     *
     * @throws DataException if a row cannot be read or made; the reader is of no use after that
     */
    Optional<Batch> next();

    /** Gives all batches that are left to something, in order. */
    default void forEach(Consumer<Batch> action) {
        for (Optional<Batch> batch = next(); batch.isPresent(); batch = next()) {
            action.accept(batch.get());
        }
    }

    /** The place just behind the last batch that {@link #next} returned. */
    Position position();

    @Override
    void close();
}
