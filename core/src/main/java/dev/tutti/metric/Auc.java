package dev.tutti.metric;

/**
 * The area under the ROC curve of a model with two classes: how likely a row of class 1 scores higher than one of class
 * 0, equal scores counting half.
 *
 * <p>It is exact, not binned: every score is kept, 8 bytes a row. A model with two outputs is scored by their
 * difference. A score that is NaN ranks on the wrong side of all others. The value is NaN until rows of both classes
 * were seen.
 */
public final class Auc implements Metric {
    Auc() {}

    @Override
    public String name() {
        return "auc";
    }

    @Override
    public MetricState newState() {
        return new AucState(name());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Auc;
    }

    @Override
    public int hashCode() {
        return Auc.class.hashCode();
    }
}
