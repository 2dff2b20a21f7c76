package dev.tutti.metric;

/** The share of rows whose class was predicted correctly. Of equal scores the first class counts as chosen. */
public final class Accuracy implements Metric {
    private double threshold;

    Accuracy() {}

    /** The threshold for models with one output number: class 1 lies above it. The default 0 is for logits. */
    public Accuracy threshold(double threshold) {
        Accuracy copy = new Accuracy();
        copy.threshold = threshold;
        return copy;
    }

    @Override
    public String name() {
        return "accuracy";
    }

    @Override
    public MetricState newState() {
        return new HitState(name(), this::hits);
    }

    private long hits(ClassBatch batch) {
        int[] decided = batch.decide(threshold);
        int[] actual = batch.actual();
        long hits = 0;
        for (int row = 0; row < decided.length; row++) {
            hits += decided[row] == actual[row] ? 1 : 0;
        }
        return hits;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Accuracy accuracy && threshold == accuracy.threshold;
    }

    @Override
    public int hashCode() {
        return Double.hashCode(threshold);
    }
}
