package dev.tutti.serve.metrics;

import java.util.concurrent.atomic.DoubleAdder;
import java.util.concurrent.atomic.LongAdder;

/** Counts values by buckets with fixed upper bounds; any thread may add. */
public final class BucketCounts {
    /** From 100 microseconds to 30 s, in steps that a factor of 2 to 2.5 apart. */
    static final double[] SECONDS = {
        0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30
    };

    static final double[] ROWS = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512};

    private final double[] bounds;
    private final LongAdder[] counts;
    private final DoubleAdder sum = new DoubleAdder();

    BucketCounts(double[] bounds) {
        this.bounds = bounds;
        counts = new LongAdder[bounds.length + 1];
        for (int i = 0; i < counts.length; i++) {
            counts[i] = new LongAdder();
        }
    }

    void add(double value) {
        int bucket = 0;
        while (bucket < bounds.length && value > bounds[bucket]) {
            bucket++;
        }
        counts[bucket].increment();
        sum.add(value);
    }

    public double[] bounds() {
        return bounds.clone();
    }

    /** How many values fell into each bucket, the last one for those above all bounds. */
    public long[] counts() {
        long[] values = new long[counts.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = counts[i].sum();
        }
        return values;
    }

    double sum() {
        return sum.sum();
    }

    /** The value below which that part of all values lies, by linear interpolation within its bucket; NaN without values. */
    public double quantile(double part) {
        long[] values = counts();
        long all = 0;
        for (long value : values) {
            all += value;
        }
        if (all == 0) {
            return Double.NaN;
        }
        double wanted = part * all;
        double seen = 0;
        for (int i = 0; i < bounds.length; i++) {
            if (seen + values[i] >= wanted && values[i] > 0) {
                double lower = i == 0 ? 0 : bounds[i - 1];
                return lower + (bounds[i] - lower) * (wanted - seen) / values[i];
            }
            seen += values[i];
        }
        return bounds[bounds.length - 1];
    }
}
