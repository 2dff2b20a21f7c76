package dev.tutti.train.feed;

import dev.tutti.data.BatchReader;
import dev.tutti.data.Chunk;
import dev.tutti.data.Dataset;
import dev.tutti.data.Position;
import dev.tutti.train.profile.Timing;
import java.util.ArrayList;
import java.util.List;

/**
 * Leased chunks that members agree on whole, at the end of a round. The chunk whose first batch was read ahead belongs to the next
 * round.
 */
public final class RoundFeed extends LeasedFeed {
    private final List<Integer> taken = new ArrayList<>();
    private boolean betweenChunks;

    /** @param data in batches of this member's share */
    public RoundFeed(Dataset data, int epoch, UsedChunks begin, List<Chunk> chunks, EpochLedger ledger, Timing timing) {
        super(data, epoch, begin, chunks, ledger, timing);
        readAhead();
    }

    @Override
    protected void readAhead() {
        betweenChunks = reader() == null;
        super.readAhead();
        betweenChunks &= hasNext();
    }

    @Override
    void taken(int chunk) {
        taken.add(chunk);
    }

    @Override
    void finished(BatchReader last) {
        betweenChunks = true;
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

    /** All members have agreed on what was learned from these chunks, those of this member among them. */
    public void agree(List<Integer> all) {
        List<Integer> mine = chunksOfRound();
        ledger.report(mine);
        ledger.agree(all);
        taken.removeAll(mine);
    }

    @Override
    public Position position() {
        return new UsedChunks(begin().rowsPerChunk(), ledger.agreed()).position(epoch());
    }
}
