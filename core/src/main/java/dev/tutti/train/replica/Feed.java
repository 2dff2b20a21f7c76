package dev.tutti.train.replica;

import dev.tutti.Experimental;
import dev.tutti.array.Range;
import dev.tutti.data.Batch;
import dev.tutti.data.BatchReader;
import dev.tutti.data.Dataset;
import dev.tutti.data.Position;
import dev.tutti.train.TrainingException;
import dev.tutti.train.profile.Timing;
import dev.tutti.train.profile.Timing.Phase;
import java.util.Optional;

/**
 * One member's part of an epoch, batch by batch. It knows one batch ahead whether there is more.
 *
 * <p>Order of calls: {@link #next} as often as there are batches for an update, whether or not it gives one; {@link #hasNext} and
 * {@link #position} in between; then {@link #close}.
 */
@Experimental
public abstract class Feed implements AutoCloseable {
    private final BatchReader reader;
    private final Timing timing;
    private Batch ahead;

    /** @param reader null when there is nothing for this member */
    protected Feed(BatchReader reader, Timing timing) {
        this.reader = reader;
        this.timing = timing;
    }

    /** All of the data, for one member alone. */
    public static Feed whole(Dataset data, int epoch, Position from, Timing timing) {
        return new WholeFeed(data, epoch, from, timing);
    }

    /**
     * Of every batch the rows of a member's share.
     *
     * @param share rows of a batch; may be empty
     */
    public static Feed share(Dataset data, Range share, int epoch, Position from, Timing timing) {
        return new ShareFeed(data, share, epoch, from, timing);
    }

    /**
     * The data without a last batch that is not full, where it is to be left out: a share of that batch cannot tell that it belongs to
     * one that is not full.
     *
     * @param how how the data is shared, for the message
     * @throws TrainingException if the number of rows is not known
     */
    public static Dataset wholeBatches(Dataset data, String how) {
        if (!data.dropsLast()) {
            return data;
        }
        long batch = data.batchSize().orElse(1);
        long size = data.size()
                .orElseThrow(() -> new TrainingException(
                        "dropLast() with " + how + " needs data whose number of rows is known: received " + data
                                + "; leave out dropLast(), or cache() the data behind the filter"));
        return data.take(size / batch * batch);
    }

    /** The next batch; empty when this member has none for this turn. */
    public Optional<Batch> next() {
        Optional<Batch> batch = Optional.ofNullable(ahead);
        ahead = null;
        readAhead();
        return batch;
    }

    /** Whether this member has another batch. */
    public boolean hasNext() {
        return ahead != null;
    }

    /** The place in the data behind the turns taken so far, the same for all members. */
    public abstract Position position();

    /** Reads the batch that comes next; where the reader stands before that is where this feed stands. */
    protected void readAhead() {
        if (reader != null) {
            long began = System.nanoTime();
            ahead = reader.next().orElse(null);
            timing.record(Phase.FEED, began);
        }
    }

    @Override
    public void close() {
        if (reader != null) {
            reader.close();
        }
    }
}
