package dev.tutti.metric;

/**
 * The share of the targets' variance that the predictions explain: 1 is perfect, 0 no better than always saying the
 * mean.
 *
 * <p>With several outputs (the last axis of two or more) it is the mean over them. It needs two rows. Where all targets
 * are equal it is 1 if they were all met and 0 otherwise.
 */
public final class R2 implements Metric {
    R2() {}

    @Override
    public String name() {
        return "r2";
    }

    @Override
    public MetricState newState() {
        return new R2State(name());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof R2;
    }

    @Override
    public int hashCode() {
        return R2.class.hashCode();
    }
}
