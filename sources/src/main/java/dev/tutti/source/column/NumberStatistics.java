package dev.tutti.source.column;

import dev.tutti.metric.ExactSum;

/** Count, moments and extremes of numbers, the same bits in whatever order and parts they were added. */
public final class NumberStatistics {
    private final ExactSum sum = new ExactSum();
    private final ExactSum squares = new ExactSum();
    private long count;
    private long missing;
    private double min = Double.POSITIVE_INFINITY;
    private double max = Double.NEGATIVE_INFINITY;

    /** Adds a number; NaN counts as missing. */
    public void add(double number) {
        if (Double.isNaN(number)) {
            missing++;
            return;
        }
        count++;
        sum.add(number);
        squares.addProduct(number, number);
        min = Math.min(min, number);
        max = Math.max(max, number);
    }

    public void merge(NumberStatistics other) {
        count += other.count;
        missing += other.missing;
        sum.add(other.sum);
        squares.add(other.squares);
        min = Math.min(min, other.min);
        max = Math.max(max, other.max);
    }

    public long count() {
        return count;
    }

    public long missing() {
        return missing;
    }

    /** The mean; 0 where there is no number. */
    public double mean() {
        return count == 0 ? 0 : sum.value() / count;
    }

    /** The standard deviation of the rows themselves, not an estimate for others. */
    public double deviation() {
        if (count == 0 || !squares.isFinite()) {
            return 0;
        }
        // (n * sum of squares - square of sum) / n^2, without rounding before the division
        var n = java.math.BigDecimal.valueOf(count);
        var exact = squares.exact().multiply(n).subtract(sum.exact().pow(2));
        return Math.sqrt(Math.max(0, exact.doubleValue())) / count;
    }

    public double min() {
        return min;
    }

    public double max() {
        return max;
    }
}
