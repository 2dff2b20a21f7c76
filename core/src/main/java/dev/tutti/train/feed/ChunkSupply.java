package dev.tutti.train.feed;

import dev.tutti.comm.Leases;
import dev.tutti.comm.Team;
import dev.tutti.data.Chunk;
import dev.tutti.data.Dataset;
import dev.tutti.data.Position;
import dev.tutti.data.SourcePart;
import dev.tutti.train.TrainingException;
import dev.tutti.train.profile.Timing;
import dev.tutti.train.replica.Agreement;
import java.util.List;

/**
 * Opens feeds over leased parts of a source that can only be read in order, so that each row is read by one member.
 *
 * <p>Order of calls: {@link #isLeased}, then {@link #open} where it said so, for each feed; {@link #giveBack} when the members have met.
 */
public final class ChunkSupply {
    private final Team team;
    private final Agreement agreement;
    private final Timing timing;
    private final String dataset;
    private Dataset asked;
    private boolean inOrder;
    private EpochLedger ledger;
    private StepFeed feed;

    /** @param dataset the name of the data set, which its leases and no other's have */
    public ChunkSupply(Team team, Agreement agreement, Timing timing, String dataset) {
        this.team = team;
        this.agreement = agreement;
        this.timing = timing;
        this.dataset = dataset;
    }

    /** The supply of the data that a model is trained on. */
    public static ChunkSupply ofTraining(Team team, Agreement agreement, Timing timing) {
        return new ChunkSupply(team, agreement, timing, Leases.TRAINING);
    }

    /**
     * Whether members lease parts of the data, or each reads all of it and takes its share. The same on all members: parts are leased
     * where rows can only be read in order and there is a part for every member, and to the end of an epoch in which they were.
     */
    public boolean isLeased(Dataset data, int epoch, Position from) {
        if (from != null) {
            return UsedChunks.isIn(from);
        }
        if (data.dropsLast()) { // which rows are left out would depend on which member reads them
            if (data.isSupplied()) {
                throw new TrainingException("dropLast() needs rows in one order, and " + data
                        + " has rows that each member supplies: leave out dropLast()");
            }
            return false;
        }
        if (!data.equals(asked)) {
            asked = data;
            inOrder = data.isReadInOrder();
        }
        if (!inOrder) {
            return false;
        }
        List<SourcePart> parts = data.parts(epoch);
        return data.isSupplied()
                || team.group().size() > 1 && parts.size() >= team.group().size();
    }

    /**
     * This member's part of an epoch.
     *
     * @param share rows of its batches; 0 for none
     * @param from the place that all members agreed on, or null for the beginning of the epoch
     */
    public StepFeed open(Dataset data, int share, int epoch, Position from) {
        UsedChunks used = from == null ? UsedChunks.none() : UsedChunks.at(from);
        List<SourcePart> parts = data.parts(epoch);
        List<Chunk> chunks = parts.stream().map(SourcePart::chunk).toList();
        List<Integer> begun = feed == null || ledger.epoch() != epoch ? List.of() : feed.begun();
        giveBack(epoch);
        ChunkHolders holders = ChunkHolders.agree(agreement, team.group(), parts);
        holders.requireReadable(used.numbers(), chunks.size());
        List<Integer> near = parts.stream()
                .filter(SourcePart::isNear)
                .map(part -> part.chunk().number())
                .toList();
        boolean supplied = data.isSupplied();
        ledger = new EpochLedger(
                team.leases(dataset),
                epoch,
                chunks.size(),
                used.numbers(),
                holders,
                holders.preference(begun, near, chunks.size()));
        int batch = supplied ? Math.max(1, share) : share;
        Dataset mine = data.keepLast().batch(Math.max(1, batch));
        feed = new StepFeed(mine, epoch, used, chunks, ledger, batch == 0, timing);
        return feed;
    }

    /** The members have met: chunks that this member leased and that were not agreed on may be leased by others. */
    public void giveBack() {
        if (ledger != null) {
            ledger.giveBack();
        }
    }

    private void giveBack(int epoch) {
        if (ledger != null && ledger.epoch() == epoch) {
            ledger.giveBack();
        }
    }
}
