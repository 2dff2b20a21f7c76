package dev.tutti.strategy.averaging;

import dev.tutti.comm.Group;
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
 * between an agreement and saying so, so the two can differ, in both directions: a chunk that is given out although it was agreed
 * on is passed over, and those that were called used although nobody's state knows of them are divided among the members.
 */
public final class EpochLedger {
    private final Leases leases;
    private final int epoch;
    private final BitSet agreed;
    private final BitSet calledUsed = new BitSet();
    private final Deque<Integer> orphans = new ArrayDeque<>();

    /** @param agreed chunks that the state of all members knows of; becomes this ledger's own */
    public EpochLedger(Leases leases, Group group, int epoch, int chunks, BitSet agreed) {
        this.leases = leases;
        this.epoch = epoch;
        this.agreed = agreed;
        leases.begin(epoch, chunks, agreed.stream().boxed().toList());
        List<Integer> used = new ArrayList<>(leases.used(epoch));
        Collections.sort(used);
        used.removeIf(agreed::get);
        for (int i = 0; i < used.size(); i++) {
            calledUsed.set(used.get(i));
            if (i % group.size() == group.rank()) {
                orphans.add(used.get(i));
            }
        }
    }

    /** Another chunk for this member; empty when there is none. */
    public OptionalInt next() {
        if (!orphans.isEmpty()) {
            return OptionalInt.of(orphans.remove());
        }
        OptionalInt chunk = leases.lease(epoch);
        while (chunk.isPresent() && agreed.get(chunk.getAsInt())) {
            leases.used(epoch, List.of(chunk.getAsInt()));
            chunk = leases.lease(epoch);
        }
        return chunk;
    }

    /**
     * All members have agreed on what was learned from chunks.
     *
     * @param all those of all members
     * @param mine those of this one
     */
    public void agree(List<Integer> all, List<Integer> mine) {
        List<Integer> unsaid =
                mine.stream().filter(chunk -> !calledUsed.get(chunk)).toList();
        if (!unsaid.isEmpty()) {
            leases.used(epoch, unsaid);
        }
        all.forEach(agreed::set);
    }

    public int epoch() {
        return epoch;
    }

    public BitSet agreed() {
        return (BitSet) agreed.clone();
    }

    /** Others may have what this member leased and was not agreed on. */
    public void giveBack() {
        leases.giveBack(epoch);
    }
}
