package dev.tutti.federated.privacy;

/**
 * Numbers as multiples of a power of two, in 64 bits that wrap around: sums are exact in any order, and masks vanish from them.
 *
 * @param range larger values are cut
 * @param bits binary digits behind the point
 */
public record FixedPoint(double range, int bits) {
    /** A vector times a weight, rounded. */
    public long[] encode(float[] vector, long weight) {
        double scale = Math.scalb(1.0, bits);
        long[] out = new long[vector.length];
        for (int i = 0; i < out.length; i++) {
            double cut = Math.max(-range, Math.min(range, vector[i]));
            out[i] = Math.multiplyExact(Math.round(cut * scale), weight);
        }
        return out;
    }

    /** A sum divided by a weight. */
    public float[] decode(long[] sum, double weight) {
        double scale = Math.scalb(1.0, -bits);
        float[] out = new float[sum.length];
        for (int i = 0; i < out.length; i++) {
            out[i] = (float) (sum[i] * scale / weight);
        }
        return out;
    }
}
