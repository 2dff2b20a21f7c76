package dev.tutti.metric;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;

/**
 * A sum of doubles that is rounded only when its value is read: the same bits for any order and any parts.
 *
 * <p>It is one wide fixed-point number that covers every double there is, from 2<sup>-1074</sup> to beyond the largest,
 * in digits of 32 bits. Each digit lies in a long, so that carries can wait: adding a double touches three digits and
 * nothing else, which is about as quick as the compensated sums that are merely accurate. There is room for
 * 2<sup>63</sup> terms.
 */
public final class ExactSum {
    /** How many longs {@link #toLongs} gives. */
    public static final int LONGS = 71;

    private static final int DIGITS = 68;
    private static final int SMALLEST_EXPONENT = -1074;
    private static final long MASK = 0xffff_ffffL;
    private static final int CARRY_AFTER = 1 << 29;

    private final long[] digits = new long[DIGITS];
    private int pending;
    private long nans;
    private long plusInfinities;
    private long minusInfinities;

    public void add(double term) {
        long bits = Double.doubleToRawLongBits(term);
        int exponent = (int) (bits >>> 52) & 0x7ff;
        long mantissa = bits & 0xf_ffff_ffff_ffffL;
        if (exponent == 0x7ff) {
            addSpecial(term);
            return;
        }
        int position = 0;
        if (exponent != 0) {
            mantissa |= 1L << 52;
            position = exponent - 1;
        }
        int digit = position >>> 5;
        int shift = position & 31;
        long sign = bits >> 63; // 0 or -1: (x ^ sign) - sign is x or -x
        digits[digit] += (((mantissa << shift) & MASK) ^ sign) - sign;
        digits[digit + 1] += (((mantissa >>> (32 - shift)) & MASK) ^ sign) - sign;
        digits[digit + 2] += (((mantissa >>> 1) >>> (63 - shift)) ^ sign) - sign;
        if (++pending == CARRY_AFTER) {
            carry();
        }
    }

    /** Adds the product of two numbers without rounding it first, unless it is too large or too small for a double. */
    public void addProduct(double a, double b) {
        double product = a * b;
        add(product);
        if (!Double.isInfinite(product) && !Double.isNaN(product)) {
            add(Math.fma(a, b, -product));
        }
    }

    public void add(ExactSum other) {
        other.carry();
        for (int i = 0; i < DIGITS; i++) {
            digits[i] += other.digits[i];
        }
        pending++;
        carry();
        nans += other.nans;
        plusInfinities += other.plusInfinities;
        minusInfinities += other.minusInfinities;
    }

    /** The double nearest to the exact sum; of two that are equally near, the even one. */
    public double value() {
        if (!isFinite()) {
            boolean undefined = nans > 0 || (plusInfinities > 0 && minusInfinities > 0);
            return undefined ? Double.NaN : plusInfinities > 0 ? Double.POSITIVE_INFINITY : Double.NEGATIVE_INFINITY;
        }
        BigInteger units = units();
        // Keep 64 leading bits and whether anything lay below: enough to round once, in doubleValue().
        int excess = Math.max(0, units.bitLength() - 64);
        BigInteger magnitude = units.abs();
        BigInteger leading = magnitude.shiftRight(excess);
        if (excess > 0 && magnitude.getLowestSetBit() < excess) {
            leading = leading.setBit(0);
        }
        return Math.scalb(leading.doubleValue(), excess + SMALLEST_EXPONENT) * units.signum();
    }

    /** True unless a NaN or an infinity was added. */
    public boolean isFinite() {
        return nans == 0 && plusInfinities == 0 && minusInfinities == 0;
    }

    /**
     * The sum itself, without rounding.
     *
     * @throws ArithmeticException if a NaN or an infinity was added
     */
    public BigDecimal exact() {
        if (!isFinite()) {
            throw new ArithmeticException("the sum holds a NaN or an infinity, so it is no exact number");
        }
        BigInteger units = units();
        if (units.signum() == 0) {
            return BigDecimal.ZERO;
        }
        int zeros = Math.min(units.getLowestSetBit(), -SMALLEST_EXPONENT);
        int fractionBits = -SMALLEST_EXPONENT - zeros;
        return new BigDecimal(units.shiftRight(zeros))
                .multiply(BigDecimal.valueOf(0.5).pow(fractionBits));
    }

    /** This sum as {@value #LONGS} numbers; equal sums give equal numbers. */
    public long[] toLongs() {
        carry();
        long[] out = Arrays.copyOf(digits, LONGS);
        out[DIGITS] = nans;
        out[DIGITS + 1] = plusInfinities;
        out[DIGITS + 2] = minusInfinities;
        return out;
    }

    /** The sum that {@link #toLongs} gave, read from {@code offset} on. */
    public static ExactSum fromLongs(long[] longs, int offset) {
        ExactSum sum = new ExactSum();
        System.arraycopy(longs, offset, sum.digits, 0, DIGITS);
        sum.pending = 1;
        sum.nans = longs[offset + DIGITS];
        sum.plusInfinities = longs[offset + DIGITS + 1];
        sum.minusInfinities = longs[offset + DIGITS + 2];
        return sum;
    }

    private void addSpecial(double term) {
        if (Double.isNaN(term)) {
            nans++;
        } else if (term > 0) {
            plusInfinities++;
        } else {
            minusInfinities++;
        }
    }

    /** Brings every digit but the highest into 0 to 2^32 - 1; the highest carries the sign. */
    private void carry() {
        if (pending == 0) {
            return;
        }
        for (int i = 0; i < DIGITS - 1; i++) {
            digits[i + 1] += digits[i] >> 32;
            digits[i] &= MASK;
        }
        pending = 0;
    }

    /** The sum counted in the smallest double there is. */
    private BigInteger units() {
        carry();
        BigInteger units = BigInteger.valueOf(digits[DIGITS - 1]);
        for (int i = DIGITS - 2; i >= 0; i--) {
            units = units.shiftLeft(32).or(BigInteger.valueOf(digits[i]));
        }
        return units;
    }

    @Override
    public String toString() {
        return Double.toString(value());
    }
}
