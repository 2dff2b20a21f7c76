package dev.tutti.train.feed;

import dev.tutti.comm.ChunkPreference;
import dev.tutti.comm.Leases;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.OptionalInt;

/**
 * One member's access to the chunks of an epoch.
 *
 * <p>What counts is the state that members agreed on; the leases only keep two of them from the same chunk. A member may be lost
 * between an agreement and its report, so the two can differ, in both directions: a chunk that is given out although it was agreed
 * on is passed over, and chunks that were reported as used although no member's state knows of them are divided among the members.
 */
public final class EpochLedger {
    private final Leases leases;
    private final int epoch;
    private final BitSet agreed;
    private final ChunkPreference preference;
    private final BitSet calledUsed = new BitSet();
    private final Deque<Integer> orphans = new ArrayDeque<>();

    /**
     * @param agreed chunks that the state of all members knows of; becomes this ledger's own
     * @param holders which members can read which chunks
     * @param preference which chunks this member leases first
     */
    public EpochLedger(
            Leases leases, int epoch, int chunks, BitSet agreed, ChunkHolders holders, ChunkPreference preference) {
        this.leases = leases;
        this.epoch = epoch;
        this.agreed = agreed;
        this.preference = preference;
        leases.begin(epoch, chunks, agreed.stream().boxed().toList());
        List<Integer> used = new ArrayList<>(leases.used(epoch));
        Collections.sort(used);
        used.removeIf(agreed::get);
        for (int chunk : used) {
            calledUsed.set(chunk);
            if (holders.isMine(chunk)) {
                orphans.add(chunk);
            }
        }
    }

    /** Another chunk for this member; empty when there is none. */
    public OptionalInt next() {
        if (!orphans.isEmpty()) {
            return OptionalInt.of(orphans.remove());
        }
        OptionalInt chunk = leases.lease(epoch, preference);
        while (chunk.isPresent() && agreed.get(chunk.getAsInt())) {
            leases.used(epoch, List.of(chunk.getAsInt()));
            chunk = leases.lease(epoch, preference);
        }
        return chunk;
    }

    /** Reports chunks of this member that all members have agreed on, or are about to. */
    void report(List<Integer> mine) {
        List<Integer> unsaid =
                mine.stream().filter(chunk -> !calledUsed.get(chunk)).toList();
        if (!unsaid.isEmpty()) {
            leases.used(epoch, unsaid);
            unsaid.forEach(calledUsed::set);
        }
    }

    /** All members have agreed on what was learned from chunks. */
    void agree(List<Integer> all) {
        all.forEach(agreed::set);
    }

    public int epoch() {
        return epoch;
    }

    public BitSet agreed() {
        return (BitSet) agreed.clone();
    }

    /** Other members may have the chunks that this one leased and that were not agreed on. */
    public void giveBack() {
        leases.giveBack(epoch);
    }
}
