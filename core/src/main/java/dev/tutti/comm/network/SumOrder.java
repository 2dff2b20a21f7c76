package dev.tutti.comm.network;

import dev.tutti.array.DType;
import dev.tutti.tensor.NativeMemory;
import java.util.List;

/**
 * Adds the elements of all members in the order in which a ring or recursive halving adds them, so that sums that travel in another way
 * have the same bits.
 */
final class SumOrder {
    private final DType type;
    private final List<Row> rows;

    /** The elements of one member. @param at where they begin, in bytes */
    record Row(NativeMemory memory, long at) {}

    /** @param rows by rank; all of them are used up */
    SumOrder(DType type, List<Row> rows) {
        this.type = type;
        this.rows = rows;
    }

    /**
     * Sums a range into the row of a member.
     *
     * @param from the first element, counted from the beginning of the rows
     */
    void inPairs(int into, long from, long count) {
        for (int distance = rows.size() / 2; distance >= 1; distance /= 2) {
            for (int rank = 0; rank < distance; rank++) {
                add(rank, rank + distance, from, count);
            }
        }
        copy(into, 0, from, count);
    }

    /** Sums a range that belongs to a member into the row of another: a ring begins with the one that follows and ends with itself. */
    void aroundRing(int part, int into, long from, long count) {
        int members = rows.size();
        for (int step = 1; step < members; step++) {
            add((part + step + 1) % members, (part + step) % members, from, count);
        }
        copy(into, part, from, count);
    }

    private void add(int to, int other, long from, long count) {
        Row sum = rows.get(to);
        Row summand = rows.get(other);
        long skipped = from * type.bytes();
        sum.memory.sum(
                type, sum.at + skipped, summand.memory, summand.at + skipped, sum.memory, sum.at + skipped, count);
    }

    private void copy(int to, int source, long from, long count) {
        if (to != source) {
            long skipped = from * type.bytes();
            rows.get(to)
                    .memory
                    .copy(
                            rows.get(to).at + skipped,
                            rows.get(source).memory,
                            rows.get(source).at + skipped,
                            count * type.bytes());
        }
    }
}
