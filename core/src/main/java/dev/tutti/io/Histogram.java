package dev.tutti.io;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;

/**
 * How numbers are spread: counts in buckets of equal width between the smallest and the largest.
 *
 * @param limits the upper end of each bucket
 * @param counts how many numbers are in each
 */
record Histogram(
        double min, double max, long count, double sum, double sumOfSquares, double[] limits, double[] counts) {
    /** As many as TensorBoard draws. */
    private static final int BUCKETS = 30;

    /** The histogram of those numbers that are finite. */
    static Histogram of(NdArray array) {
        double min = Double.POSITIVE_INFINITY;
        double max = Double.NEGATIVE_INFINITY;
        double sum = 0;
        double sumOfSquares = 0;
        long count = 0;
        float[] floats = array.type() == DType.FLOAT32 ? array.floats() : null;
        int size = array.size();
        for (int i = 0; i < size; i++) {
            double value = floats != null ? floats[i] : array.at(i);
            if (Double.isFinite(value)) {
                min = Math.min(min, value);
                max = Math.max(max, value);
                sum += value;
                sumOfSquares += value * value;
                count++;
            }
        }
        int buckets = count == 0 ? 0 : min == max ? 1 : BUCKETS;
        double[] limits = new double[buckets];
        for (int i = 0; i < buckets; i++) {
            limits[i] = i == buckets - 1 ? max : min + (max - min) * ((i + 1.0) / buckets);
        }
        double[] counts = new double[buckets];
        double perUnit = buckets / (max - min);
        for (int i = 0; i < size; i++) {
            double value = floats != null ? floats[i] : array.at(i);
            if (Double.isFinite(value)) {
                counts[buckets == 1 ? 0 : Math.min(buckets - 1, (int) ((value - min) * perUnit))]++;
            }
        }
        return new Histogram(min, max, count, sum, sumOfSquares, limits, counts);
    }

    Proto toProto() {
        return new Proto()
                .fixed(1, min)
                .fixed(2, max)
                .fixed(3, (double) count)
                .fixed(4, sum)
                .fixed(5, sumOfSquares)
                .doubles(6, limits)
                .doubles(7, counts);
    }
}
