package dev.tutti.table;

import java.nio.charset.StandardCharsets;

/**
 * What a row holds before it is changed first.
 *
 * <p>The values follow from the table's seed and name and from the id alone, by arithmetic that is the same on every machine.
 *
 * @param distribution how they are drawn
 * @param scale the value itself, the deviation, or the bound
 */
public record FirstValues(Distribution distribution, double scale) {
    /** How first values are drawn. */
    public enum Distribution {
        /** All are the scale. */
        CONSTANT,
        /** Normal round 0 with the scale as deviation. */
        NORMAL,
        /** Evenly from minus scale to scale. */
        UNIFORM
    }

    private static final double UNIT = 0x1.0p-53;

    /** The number that all rows of a table are drawn by. */
    static long key(long seed, String table) {
        long key = seed;
        for (byte letter : table.getBytes(StandardCharsets.UTF_8)) {
            key = IdHash.mix(key + letter);
        }
        return key;
    }

    /** Writes the row of an id to a place in an array. */
    void write(long key, long id, float[] into, int at, int width) {
        long state = IdHash.mix(key ^ IdHash.mix(id));
        for (int i = 0; i < width; i++) {
            switch (distribution) {
                case CONSTANT -> into[at + i] = (float) scale;
                case UNIFORM -> {
                    state += 0x9E3779B97F4A7C15L;
                    into[at + i] = (float) ((2 * unit(state) - 1) * scale);
                }
                case NORMAL -> {
                    state += 0x9E3779B97F4A7C15L;
                    double radius = StrictMath.sqrt(-2 * StrictMath.log(1 - unit(state)));
                    state += 0x9E3779B97F4A7C15L;
                    double angle = 2 * Math.PI * unit(state);
                    into[at + i] = (float) (radius * StrictMath.cos(angle) * scale);
                    if (i + 1 < width) {
                        i++;
                        into[at + i] = (float) (radius * StrictMath.sin(angle) * scale);
                    }
                }
            }
        }
    }

    /** From 0 to less than 1. */
    private static double unit(long state) {
        return (IdHash.mix(state) >>> 11) * UNIT;
    }
}
