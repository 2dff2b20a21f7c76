package dev.tutti.metric;

/**
 * How often each class was predicted as each other one. Its value is the accuracy; the matrix and a table to print are in
 * its {@link ConfusionMatrixState state}.
 */
public final class ConfusionMatrix implements Metric {
    private double threshold;

    ConfusionMatrix() {}

    /** The threshold for models with one output number: class 1 lies above it. The default 0 is for logits. */
    public ConfusionMatrix threshold(double threshold) {
        ConfusionMatrix copy = new ConfusionMatrix();
        copy.threshold = threshold;
        return copy;
    }

    @Override
    public String name() {
        return "confusionMatrix";
    }

    @Override
    public ConfusionMatrixState newState() {
        return new ConfusionMatrixState(name(), threshold);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ConfusionMatrix matrix && threshold == matrix.threshold;
    }

    @Override
    public int hashCode() {
        return Double.hashCode(threshold);
    }
}
