package dev.tutti.examples;

import dev.tutti.array.NdArray;
import dev.tutti.data.source.ArraySource;
import dev.tutti.data.source.Source;
import dev.tutti.table.IdHash;
import java.util.List;
import java.util.OptionalLong;
import java.util.SplittableRandom;

/**
 * Clicks on advertisements, made by a seed. A row has the hashed values of five features, the hashed pair of advertisement and site, and
 * whether it was clicked. The chance of a click follows from a weight of each value and of that pair.
 */
public final class ClickSource implements Source {
    static final int FEATURES = 5;
    private static final int[] VALUES = {20_000, 500, 100, 24, 4}; // user, advertisement, site, hour, device
    private static final String[] NAMES = {"user", "advertisement", "site", "hour", "device"};
    private static final double[] WEIGHTS = {0.5, 0.9, 0.6, 0.3, 0.3};

    private long seed;
    private int rows;
    private int skip;
    private transient ArraySource arrays;

    private ClickSource() {}

    /** @param skip rows of the same seed that are left out before */
    ClickSource(long seed, int rows, int skip) {
        this.seed = seed;
        this.rows = rows;
        this.skip = skip;
    }

    private synchronized ArraySource arrays() {
        if (arrays == null) {
            long[] values = new long[rows * FEATURES];
            long[] pairs = new long[rows];
            float[] clicked = new float[rows];
            for (int row = 0; row < rows; row++) {
                SplittableRandom random = new SplittableRandom(IdHash.mix(seed + 31L * (row + skip)));
                double logit = -1;
                int[] drawn = new int[FEATURES];
                for (int i = 0; i < FEATURES; i++) {
                    drawn[i] = (int) (VALUES[i] * Math.pow(random.nextDouble(), 2));
                    values[row * FEATURES + i] = IdHash.of(NAMES[i], Integer.toString(drawn[i]));
                    logit += WEIGHTS[i] * weight(values[row * FEATURES + i]);
                }
                pairs[row] = IdHash.of("advertisement on site", drawn[1] + " " + drawn[2]);
                logit += 1.2 * weight(IdHash.of("taste", drawn[1] % 10 + " " + drawn[2] % 10));
                clicked[row] = random.nextDouble() < 1 / (1 + Math.exp(-logit)) ? 1 : 0;
            }
            arrays = new ArraySource(
                    List.of(NdArray.of(values, rows, FEATURES), NdArray.of(pairs, rows, 1)),
                    List.of(NdArray.of(clicked, rows, 1)));
        }
        return arrays;
    }

    /** The hidden weight of a value, from about -2 to 2. */
    private static double weight(long id) {
        long bits = IdHash.mix(id + 99);
        double sum = 0;
        for (int i = 0; i < 4; i++) {
            sum += (bits >>> 16 * i & 0xFFFF) / 65536.0 - 0.5;
        }
        return sum * 1.7;
    }

    @Override
    public OptionalLong size() {
        return OptionalLong.of(rows);
    }

    @Override
    public Rows open() {
        return arrays().open();
    }

    @Override
    public String toString() {
        return "clicks(" + rows + ", seed " + seed + ")";
    }
}
