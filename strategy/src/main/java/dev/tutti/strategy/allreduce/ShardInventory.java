package dev.tutti.strategy.allreduce;

import dev.tutti.comm.Collectives;
import dev.tutti.train.replica.StateLostException;
import java.util.Arrays;
import java.util.List;

/**
 * What of the optimizer's state the members of a new group have brought along.
 *
 * @param divided whether anybody has only a part; if not, all have the whole, or nothing yet
 * @param whole whether one of them has all of it in its newest form
 * @param speaker that one; else the first of those who have a part
 * @param updates how many updates the state has seen
 */
record ShardInventory(boolean divided, boolean whole, int speaker, long updates) {
    /**
     * What one member has.
     *
     * @param part elements that it has the state of; {@link #NO_PART} if it has the whole, or is new
     * @param moved updates that it has made to them
     * @param agreed updates that it knows all members to have finished
     */
    record Own(long part, long moved, long agreed) {
        static final long NO_PART = -1;

        private boolean hasPart() {
            return part != NO_PART;
        }
    }

    /**
     * Hears what everybody has.
     *
     * @param all elements there are
     * @throws StateLostException if some of the state is missing
     */
    static ShardInventory of(Collectives collectives, Own own, long all) {
        long[][] rows = collectives.gatherLongs("parts of the optimizer's state", own.part, own.moved, own.agreed);
        return of(
                Arrays.stream(rows).map(row -> new Own(row[0], row[1], row[2])).toList(), all);
    }

    private static ShardInventory of(List<Own> members, long all) {
        long updates = 0;
        long elements = 0;
        int firstPart = -1;
        for (int rank = 0; rank < members.size(); rank++) {
            Own member = members.get(rank);
            updates = Math.max(updates, member.agreed);
            elements += member.hasPart() ? member.part : 0;
            firstPart = firstPart < 0 && member.hasPart() ? rank : firstPart;
        }
        boolean current = true;
        for (int rank = 0; rank < members.size(); rank++) {
            Own member = members.get(rank);
            boolean newest = member.moved == updates;
            if (!member.hasPart() && newest && updates > 0) {
                return new ShardInventory(firstPart >= 0, true, rank, updates);
            }
            current &= newest || !member.hasPart();
        }
        if (firstPart >= 0) {
            requireAll(elements, all, current);
        }
        return new ShardInventory(firstPart >= 0, false, Math.max(0, firstPart), updates);
    }

    private static void requireAll(long elements, long all, boolean current) {
        if (elements != all) {
            throw new StateLostException("shardedState: of the optimizer's state for " + all + " parameters that of "
                    + (all - elements) + " went with members that were lost, and nobody else has it");
        }
        if (!current) {
            throw new StateLostException(
                    "shardedState: a step was cut off when some members had moved their part and" + " others had not");
        }
    }
}
