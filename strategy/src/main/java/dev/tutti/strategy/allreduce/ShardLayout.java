package dev.tutti.strategy.allreduce;

import dev.tutti.array.Range;
import dev.tutti.comm.Group;
import dev.tutti.tensor.vector.FusedUpdate;

/**
 * How a vector is divided among members so that each part is updated to the same bits as the whole, and is what collectives give
 * to each: equal parts of whole blocks. What is left over at the end, less than a block for each member, is the last one's.
 *
 * @param copies how many members hold each shard, at least: those of neighbouring ranks, which hold the parts of all of them
 */
record ShardLayout(Group group, long size, int copies) {
    ShardLayout(Group group, long size) {
        this(group, size, 1);
    }

    /** What divides evenly. */
    Range body() {
        long row = (long) FusedUpdate.BLOCK * group.size();
        return new Range(0, size / row * row);
    }

    /** What is left over. */
    Range tail() {
        return Range.between(body().to(), size);
    }

    /** The part of the member with a rank. */
    Range of(int rank) {
        Range part = group.part(body().length(), rank);
        return rank == last() ? Range.between(part.from(), size) : part;
    }

    /** What this member holds: its part, and those of the members that hold the same. */
    Range own() {
        return Range.between(of(firstTwin()).from(), of(lastTwin()).to());
    }

    /** Whether this member is the first one of those that hold the same: it speaks for the shard. */
    boolean speaks() {
        return group.rank() == firstTwin();
    }

    /** Whether any shard has more than one holder. */
    boolean hasCopies() {
        return shards() < group.size();
    }

    private int shards() {
        return Math.max(1, group.size() / copies);
    }

    private int shard() {
        int shard = 0;
        while (firstOf(shard + 1) <= group.rank()) {
            shard++;
        }
        return shard;
    }

    private int firstOf(int shard) {
        return (int) ((long) shard * group.size() / shards());
    }

    private int firstTwin() {
        return firstOf(shard());
    }

    private int lastTwin() {
        return firstOf(shard() + 1) - 1;
    }

    int last() {
        return group.size() - 1;
    }
}
