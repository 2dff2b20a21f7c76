package dev.tutti.metric;

import dev.tutti.array.DType;

/**
 * The share of rows whose class is among the {@code k} with the highest scores. Of equal scores the first classes count
 * as higher, so {@code topK(1)} is the accuracy.
 */
public final class TopK implements Metric {
    private int k = 5;

    private TopK() {}

    TopK(int k) {
        this.k = k;
        check();
    }

    @Override
    public String name() {
        return "top" + k;
    }

    @Override
    public MetricState newState() {
        check();
        return new HitState(name(), this::hits);
    }

    private void check() {
        if (k < 1) {
            throw new MetricException("topK", "k is 1 or more: received " + k);
        }
    }

    private long hits(ClassBatch batch) {
        int width = batch.width();
        if (width < Math.max(2, k)) {
            throw new MetricException(
                    name(),
                    "predictions need scores for at least " + Math.max(2, k) + " classes: received shape "
                            + batch.scores().shape());
        }
        float[] floats = batch.scores().type() == DType.FLOAT32 ? batch.scores().floats() : null;
        double[] doubles = floats == null ? batch.scores().doubles() : null;
        long hits = 0;
        for (int row = 0; row < batch.rows(); row++) {
            int actual = batch.actual()[row];
            int place = floats != null
                    ? place(floats, row * width, width, actual)
                    : place(doubles, row * width, width, actual);
            hits += place < k ? 1 : 0;
        }
        return hits;
    }

    /** How many classes come before this one; more than there are if a score is NaN. */
    private static int place(float[] scores, int from, int width, int actual) {
        float own = scores[from + actual];
        int before = 0;
        for (int i = 0; i < width; i++) {
            float score = scores[from + i];
            if (Float.isNaN(score)) {
                return Integer.MAX_VALUE;
            }
            before += score > own || (score == own && i < actual) ? 1 : 0;
        }
        return before;
    }

    private static int place(double[] scores, int from, int width, int actual) {
        double own = scores[from + actual];
        int before = 0;
        for (int i = 0; i < width; i++) {
            double score = scores[from + i];
            if (Double.isNaN(score)) {
                return Integer.MAX_VALUE;
            }
            before += score > own || (score == own && i < actual) ? 1 : 0;
        }
        return before;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TopK top && k == top.k;
    }

    @Override
    public int hashCode() {
        return k;
    }
}
