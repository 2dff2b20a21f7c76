package dev.tutti.strategy.allreduce;

import dev.tutti.array.Range;
import dev.tutti.comm.Group;
import dev.tutti.tensor.vector.FusedUpdate;

/**
 * How a vector is divided among members so that each part is updated to the same bits as the whole, and is what collectives give
 * to each: equal parts of whole blocks. What is left over at the end, less than a block for each member, is the last one's.
 */
record ShardLayout(Group group, long size) {
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

    Range own() {
        return of(group.rank());
    }

    int last() {
        return group.size() - 1;
    }
}
