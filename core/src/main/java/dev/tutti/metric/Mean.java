package dev.tutti.metric;

/**
 * A mean that is rounded only when its value is read, so that parts of it merge to the same bits: for instance of the loss over
 * the batches of an epoch.
 */
public final class Mean {
    /** How many longs {@link #toLongs} gives. */
    public static final int LONGS = 1 + ExactSum.LONGS;

    private ExactSum sum = new ExactSum();
    private long count;

    public void add(double value) {
        sum.add(value);
        count++;
    }

    /** Adds a value that is itself the mean of {@code times} others, such as the loss of a batch of that size. */
    public void add(double value, long times) {
        if (times < 0) {
            throw new IllegalArgumentException("a value is added 0 times or more: received " + times);
        }
        sum.addProduct(value, (double) times);
        count += times;
    }

    public void add(Mean other) {
        sum.add(other.sum);
        count += other.count;
    }

    /** How many values there were. */
    public long count() {
        return count;
    }

    /** The mean; NaN when there were no values. */
    public double value() {
        return count == 0 ? Double.NaN : sum.value() / count;
    }

    /** This mean as {@value #LONGS} numbers. */
    public long[] toLongs() {
        long[] out = new long[LONGS];
        out[0] = count;
        System.arraycopy(sum.toLongs(), 0, out, 1, ExactSum.LONGS);
        return out;
    }

    /** The mean that {@link #toLongs} gave, read from {@code offset} on. */
    public static Mean fromLongs(long[] longs, int offset) {
        Mean mean = new Mean();
        mean.count = longs[offset];
        mean.sum = ExactSum.fromLongs(longs, offset + 1);
        return mean;
    }
}
