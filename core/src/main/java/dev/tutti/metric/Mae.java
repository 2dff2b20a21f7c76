package dev.tutti.metric;

/** The mean absolute error over all numbers. */
public final class Mae implements Metric {
    Mae() {}

    @Override
    public String name() {
        return "mae";
    }

    @Override
    public MetricState newState() {
        return new ErrorState(name(), Math::abs, mean -> mean);
    }

    @Override
    public boolean higherIsBetter() {
        return false;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Mae;
    }

    @Override
    public int hashCode() {
        return Mae.class.hashCode();
    }
}
