package dev.tutti.train.feed;

import dev.tutti.data.Batch;
import dev.tutti.data.BatchReader;
import dev.tutti.data.Chunk;
import dev.tutti.data.Dataset;
import dev.tutti.train.profile.Timing;
import dev.tutti.train.profile.Timing.Phase;
import dev.tutti.train.replica.Feed;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Chunk after chunk of an epoch, as this member leases them. A batch holds rows of one chunk.
 *
 * <p>It has the first batch of the next chunk before the last one of this chunk counts, to say whether there is more.
 */
abstract class LeasedFeed extends Feed {
    private final Dataset data;
    private final int epoch;
    private final UsedChunks begin;
    private final List<Chunk> chunks;
    private final Timing timing;
    final EpochLedger ledger;
    private BatchReader reader;
    private Batch ahead;
    private boolean exhausted; // chunks come back only when the members meet again, which opens another feed

    /**
     * @param data in batches of this member's share
     * @param begin the place in the epoch that all members agreed on
     */
    LeasedFeed(Dataset data, int epoch, UsedChunks begin, List<Chunk> chunks, EpochLedger ledger, Timing timing) {
        super(null, timing);
        this.data = data;
        this.epoch = epoch;
        this.begin = begin;
        this.chunks = chunks;
        this.ledger = ledger;
        this.timing = timing;
    }

    @Override
    public Optional<Batch> next() {
        Optional<Batch> batch = Optional.ofNullable(ahead);
        readAhead();
        return batch;
    }

    @Override
    public boolean hasNext() {
        return ahead != null;
    }

    @Override
    protected void readAhead() {
        long began = System.nanoTime();
        boolean reading = reader != null;
        ahead = reading ? reader.next().orElse(null) : null;
        if (reading && ahead == null) {
            finished(reader);
        }
        while (ahead == null && openNext()) {
            ahead = reader.next().orElse(null);
            if (ahead == null) {
                finished(reader);
            }
        }
        timing.record(Phase.FEED, began);
    }

    private boolean openNext() {
        close();
        OptionalInt number = exhausted ? OptionalInt.empty() : ledger.next();
        exhausted = number.isEmpty();
        if (number.isPresent()) {
            taken(number.getAsInt());
            Chunk chunk = chunks.get(number.getAsInt());
            ChunkPlace place = begin.begun().get(number.getAsInt());
            reader = place == null ? data.open(epoch, chunk) : data.open(epoch, place.position(epoch, chunk));
        }
        return number.isPresent();
    }

    /** A chunk was leased. */
    void taken(int chunk) {}

    /** A chunk was read to its end, and so was the reader. */
    void finished(BatchReader last) {}

    /** The reader of the batch that {@link #next} gives next. */
    BatchReader reader() {
        return reader;
    }

    UsedChunks begin() {
        return begin;
    }

    int epoch() {
        return epoch;
    }

    List<Chunk> chunks() {
        return chunks;
    }

    @Override
    public void close() {
        if (reader != null) {
            reader.close();
            reader = null;
        }
    }
}
