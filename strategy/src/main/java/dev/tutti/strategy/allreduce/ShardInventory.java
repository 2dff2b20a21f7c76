package dev.tutti.strategy.allreduce;

import dev.tutti.comm.Collectives;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.replica.StateLostException;

/**
 * What of the optimizer's state the members of a new group have brought along.
 *
 * @param divided whether anybody has only a part; if not, all have the whole, or nothing yet
 * @param whole whether one of them has all of it in its newest form
 * @param speaker that one; else the first of those who have a part
 * @param updates how many updates the state has seen
 */
record ShardInventory(boolean divided, boolean whole, int speaker, long updates) {
    private static final int NUMBERS = 3;

    /**
     * What one member has.
     *
     * @param part elements that it has the state of; {@link #NO_PART} if it has the whole, or is new
     * @param moved updates that it has made to them
     * @param agreed updates that it knows all members to have finished
     */
    record Own(long part, long moved, long agreed) {
        static final long NO_PART = -1;
    }

    /**
     * Hears what everybody has.
     *
     * @param all elements there are
     * @throws StateLostException if some of the state is missing
     */
    static ShardInventory of(Collectives collectives, Own own, long all) {
        int members = collectives.group().size();
        long[] mine = new long[NUMBERS * members];
        int at = NUMBERS * collectives.group().rank();
        mine[at] = own.part;
        mine[at + 1] = own.moved;
        mine[at + 2] = own.agreed;
        try (Scope scope = Scope.open()) {
            Tensor everybody = Tensor.of(mine, mine.length);
            collectives.allReduce("parts of the optimizer's state", everybody);
            return of(everybody.toArray().longs(), all);
        }
    }

    private static ShardInventory of(long[] numbers, long all) {
        long updates = 0;
        long elements = 0;
        int firstPart = -1;
        for (int at = 0; at < numbers.length; at += NUMBERS) {
            updates = Math.max(updates, numbers[at + 2]);
            boolean part = numbers[at] != Own.NO_PART;
            elements += part ? numbers[at] : 0;
            firstPart = firstPart < 0 && part ? at / NUMBERS : firstPart;
        }
        boolean current = true;
        for (int at = 0; at < numbers.length; at += NUMBERS) {
            boolean newest = numbers[at + 1] == updates;
            boolean part = numbers[at] != Own.NO_PART;
            if (!part && newest && updates > 0) {
                return new ShardInventory(firstPart >= 0, true, at / NUMBERS, updates);
            }
            current &= newest || !part;
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
