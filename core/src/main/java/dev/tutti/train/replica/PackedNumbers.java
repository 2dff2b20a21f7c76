package dev.tutti.train.replica;

import java.util.Arrays;

/**
 * A row of whole numbers, most of which may be zero, made short: what a batch adds to a confusion matrix of a thousand classes is
 * as many numbers as the batch has rows.
 *
 * <p>It begins with the length; then come, until the row is full, a number of zeros, a number of others, and these others. What
 * follows behind it is not looked at, so several can lie one behind the other.
 */
public final class PackedNumbers {
    private final long[] packed;
    private int at;

    private PackedNumbers(long[] packed) {
        this.packed = packed;
    }

    public static long[] pack(long[]... rows) {
        int room = 0;
        for (long[] row : rows) {
            room += 2 * row.length + 3; // at the worst every second number is zero
        }
        long[] out = new long[room];
        int end = 0;
        for (long[] row : rows) {
            end = pack(row, out, end);
        }
        return Arrays.copyOf(out, end);
    }

    private static int pack(long[] row, long[] out, int from) {
        int end = from;
        out[end++] = row.length;
        int next = 0;
        while (next < row.length) {
            int first = next;
            while (first < row.length && row[first] == 0) {
                first++;
            }
            int last = first;
            while (last < row.length && row[last] != 0) {
                last++;
            }
            int others = last - first;
            out[end++] = (long) first - next;
            out[end++] = others;
            System.arraycopy(row, first, out, end, others);
            end += others;
            next = last;
        }
        return end;
    }

    /** Reads rows in the order in which they were packed. */
    public static PackedNumbers reader(long[] packed) {
        return new PackedNumbers(packed);
    }

    public long[] next() {
        long[] row = new long[Math.toIntExact(packed[at++])];
        int filled = 0;
        while (filled < row.length) {
            filled += Math.toIntExact(packed[at++]);
            int others = Math.toIntExact(packed[at++]);
            System.arraycopy(packed, at, row, filled, others);
            at += others;
            filled += others;
        }
        return row;
    }
}
