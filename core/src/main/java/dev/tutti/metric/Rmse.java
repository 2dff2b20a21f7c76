package dev.tutti.metric;

/** The root of the mean squared error over all numbers. */
public final class Rmse implements Metric {
    Rmse() {}

    @Override
    public String name() {
        return "rmse";
    }

    @Override
    public MetricState newState() {
        return new ErrorState(name(), difference -> difference * difference, Math::sqrt);
    }

    @Override
    public boolean higherIsBetter() {
        return false;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Rmse;
    }

    @Override
    public int hashCode() {
        return Rmse.class.hashCode();
    }
}
