package dev.tutti.strategy.averaging;

import dev.tutti.data.Batch;
import dev.tutti.data.BatchReader;
import dev.tutti.data.Chunk;
import dev.tutti.data.Dataset;
import dev.tutti.data.Position;
import dev.tutti.train.profile.Timing;
import dev.tutti.train.profile.Timing.Phase;
import dev.tutti.train.replica.Feed;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * Chunk after chunk of an epoch, as this member gets them.
 *
 * <p>It has the first batch of the next chunk before the round ends, to say whether there is more; that chunk belongs to the next
 * round.
 */
public final class LeasedFeed extends Feed {
    private final Dataset data;
    private final int epoch;
    private final long rowsPerChunk;
    private final List<Chunk> chunks;
    private final EpochLedger ledger;
    private final Timing timing;
    private final List<Integer> taken = new ArrayList<>();
    private BatchReader reader;
    private Batch ahead;
    private boolean betweenChunks;

    /** @param data in batches of this member's share */
    public LeasedFeed(
            Dataset data, int epoch, long rowsPerChunk, List<Chunk> chunks, EpochLedger ledger, Timing timing) {
        super(null, timing);
        this.data = data;
        this.epoch = epoch;
        this.rowsPerChunk = rowsPerChunk;
        this.chunks = chunks;
        this.ledger = ledger;
        this.timing = timing;
        readAhead();
    }

    @Override
    public Batch next() {
        Batch batch = ahead;
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
        ahead = reader == null ? null : reader.next().orElse(null);
        betweenChunks = ahead == null;
        while (ahead == null && openNext()) {
            ahead = reader.next().orElse(null);
        }
        betweenChunks &= ahead != null;
        timing.record(Phase.FEED, began);
    }

    private boolean openNext() {
        close();
        OptionalInt chunk = ledger.next();
        if (chunk.isPresent()) {
            taken.add(chunk.getAsInt());
            reader = data.open(epoch, chunks.get(chunk.getAsInt()));
        }
        return chunk.isPresent();
    }

    /** Whether a round of about so many steps ends here: with a chunk, as near as chunks allow. */
    public boolean endsRound(int stepsSoFar, int wanted) {
        if (!hasNext()) {
            return true;
        }
        double stepsOfAChunk = (double) stepsSoFar / Math.max(1, chunksOfRound().size());
        return betweenChunks && stepsSoFar + stepsOfAChunk / 2 > wanted;
    }

    /** The chunks this member has gone through since the last agreement. */
    public List<Integer> chunksOfRound() {
        return List.copyOf(betweenChunks ? taken.subList(0, taken.size() - 1) : taken);
    }

    /** All members have agreed on what was learned from these chunks, ours among them. */
    public void agree(List<Integer> all) {
        List<Integer> mine = chunksOfRound();
        ledger.agree(all, mine);
        taken.removeAll(mine);
    }

    @Override
    public Position position() {
        return new UsedChunks(rowsPerChunk, ledger.agreed()).position(epoch);
    }

    @Override
    public void close() {
        if (reader != null) {
            reader.close();
            reader = null;
        }
    }
}
