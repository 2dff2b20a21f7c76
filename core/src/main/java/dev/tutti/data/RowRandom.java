package dev.tutti.data;

import java.util.random.RandomGenerator;

/**
 * Random numbers that depend on their seed alone, on every JVM and in every release.
 *
 * <p>The generator is SplitMix64, and every method is written out here: the JDK specifies the stream of {@code
 * java.util.Random}, but not how its newer generators derive bounded numbers. Making one costs nothing, so that each
 * row can have its own.
 */
public final class RowRandom implements RandomGenerator {
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private long state;

    public RowRandom(long seed) {
        this.state = seed;
    }

    /** One seed out of several numbers, each of which changes it thoroughly. */
    public static long seed(long first, long... more) {
        long hash = mix(first + GOLDEN);
        for (long part : more) {
            hash = mix((hash + GOLDEN) ^ mix(part + GOLDEN));
        }
        return hash;
    }

    public static long mix(long z) {
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }

    @Override
    public long nextLong() {
        state += GOLDEN;
        return mix(state);
    }

    @Override
    public int nextInt() {
        return (int) (nextLong() >>> 32);
    }

    /** A whole number from 0 to {@code bound}, exclusive, each equally likely. */
    @Override
    public int nextInt(int bound) {
        if (bound <= 0) {
            throw new IllegalArgumentException("the bound must be above 0: received " + bound);
        }
        long bits;
        long value;
        do {
            bits = nextLong() >>> 1;
            value = bits % bound;
        } while (bits - value + (bound - 1) < 0);
        return (int) value;
    }

    /** A whole number from {@code origin} to {@code bound}, exclusive. */
    @Override
    public int nextInt(int origin, int bound) {
        return origin + nextInt(Math.subtractExact(bound, origin));
    }

    @Override
    public boolean nextBoolean() {
        return nextLong() < 0;
    }

    @Override
    public float nextFloat() {
        return (nextLong() >>> 40) * 0x1.0p-24f;
    }

    @Override
    public double nextDouble() {
        return (nextLong() >>> 11) * 0x1.0p-53;
    }

    @Override
    public double nextGaussian() {
        double radius = StrictMath.sqrt(-2 * StrictMath.log(1 - nextDouble()));
        return radius * StrictMath.cos(2 * Math.PI * nextDouble());
    }
}
