package dev.tutti.metric;

import java.util.Locale;
import java.util.Objects;

/**
 * A score made of how often each class was found, missed and wrongly called: precision, recall and F1.
 *
 * <p>Where a class gives nothing to divide by, such as the precision of a class that was never called, its score is 0.
 *
 * @param <M> the metric itself, which the fluent methods return
 */
public abstract sealed class ClassScore<M extends ClassScore<M>> implements Metric permits Precision, Recall, F1 {
    private ClassAveraging averaging = ClassAveraging.AUTO;
    private double threshold;

    ClassScore() {}

    /** For two classes: the score of class 1. */
    public M binary() {
        return averaging(ClassAveraging.BINARY);
    }

    /** The mean of the scores of all classes that occur. */
    public M macro() {
        return averaging(ClassAveraging.MACRO);
    }

    /** One score from the counts of all classes together. */
    public M micro() {
        return averaging(ClassAveraging.MICRO);
    }

    public M averaging(ClassAveraging averaging) {
        return copy(Objects.requireNonNull(averaging, "averaging"), threshold);
    }

    /** The threshold for models with one output number: class 1 lies above it. The default 0 is for logits. */
    public M threshold(double threshold) {
        return copy(averaging, threshold);
    }

    @Override
    public final String name() {
        String base = base();
        return switch (averaging) {
            case AUTO, BINARY -> base;
            case MACRO, MICRO -> averaging + base.substring(0, 1).toUpperCase(Locale.ROOT) + base.substring(1);
        };
    }

    @Override
    public final MetricState newState() {
        return new ClassScoreState(name(), averaging, threshold, this::score);
    }

    /** The name without the averaging. */
    abstract String base();

    abstract M blank();

    /** The score of a class from how often it was found, wrongly called and missed. */
    abstract double score(long found, long wronglyCalled, long missed);

    static double ratio(long part, long whole) {
        return whole == 0 ? 0 : (double) part / whole;
    }

    private M copy(ClassAveraging averaging, double threshold) {
        M copy = blank();
        ClassScore<M> fields = copy;
        fields.averaging = averaging;
        fields.threshold = threshold;
        return copy;
    }

    @Override
    public final boolean equals(Object other) {
        return other instanceof ClassScore<?> score
                && getClass() == score.getClass()
                && averaging == score.averaging
                && threshold == score.threshold;
    }

    @Override
    public final int hashCode() {
        return Objects.hash(base(), averaging, threshold);
    }
}
