package dev.tutti.data.stage;

import dev.tutti.data.RowRandom;
import java.util.Objects;

/**
 * An order of the numbers 0 to n-1 that follows from a seed and takes no memory: the place of any one number is
 * computed.
 *
 * <p>It is a Feistel network over the next power of two, walked until it lands below n. A list shuffled in memory
 * would be as good for reading an epoch from front to back; but a worker that leases one chunk of a billion rows
 * should not have to build the order of all of them first.
 */
public final class Permutation {
    private static final int ROUNDS = 6;
    /** Smaller networks have too few different orders; walking through a bigger one costs little when n is small. */
    private static final int LEAST_BITS = 8;

    private final long size;
    private final int lowBits;
    private final long lowMask;
    private final long highMask;
    private final long[] keys = new long[ROUNDS];

    Permutation(long size, long seed) {
        this.size = size;
        int bits = Math.max(LEAST_BITS, 64 - Long.numberOfLeadingZeros(Math.max(1, size - 1)));
        this.lowBits = (bits + 1) / 2;
        this.lowMask = (1L << lowBits) - 1;
        this.highMask = (1L << (bits - lowBits)) - 1;
        RowRandom random = new RowRandom(seed);
        for (int i = 0; i < ROUNDS; i++) {
            keys[i] = random.nextLong();
        }
    }

    /** The number that stands at a place. */
    public long at(long place) {
        Objects.checkIndex(place, size);
        long number = place;
        do {
            number = scramble(number);
        } while (number >= size);
        return number;
    }

    private long scramble(long number) {
        long low = number & lowMask;
        long high = number >>> lowBits;
        for (int round = 0; round < ROUNDS; round += 2) {
            high ^= RowRandom.mix(low + keys[round]) & highMask;
            low ^= RowRandom.mix(high + keys[round + 1]) & lowMask;
        }
        return high << lowBits | low;
    }
}
