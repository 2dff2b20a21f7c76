package dev.tutti.source.column;

import dev.tutti.metric.ExactSum;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.List;

/** Count, moments and extremes of numbers, the same bits for any order and parts. */
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

    void write(DataOutput out) throws IOException {
        out.writeLong(count);
        out.writeLong(missing);
        out.writeDouble(min);
        out.writeDouble(max);
        for (ExactSum each : List.of(sum, squares)) {
            for (long part : each.toLongs()) {
                out.writeLong(part);
            }
        }
    }

    void merge(DataInput written) throws IOException {
        count += written.readLong();
        missing += written.readLong();
        min = Math.min(min, written.readDouble());
        max = Math.max(max, written.readDouble());
        for (ExactSum each : List.of(sum, squares)) {
            long[] parts = new long[ExactSum.LONGS];
            for (int i = 0; i < parts.length; i++) {
                parts[i] = written.readLong();
            }
            each.add(ExactSum.fromLongs(parts, 0));
        }
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
