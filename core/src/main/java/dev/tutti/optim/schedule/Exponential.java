package dev.tutti.optim.schedule;

/** Multiplies the rate by a factor per epoch, or per a given number of steps, smoothly from step to step. */
public final class Exponential extends Schedule {
    private double factor = 0.95;
    private long steps;
    private double floor;

    private Exponential() {}

    static Exponential defaults() {
        return new Exponential();
    }

    /** The factor of an epoch; 0.95 unless told otherwise. */
    public Exponential factor(double newFactor) {
        return copy(c -> c.factor = newFactor);
    }

    /** Applies the factor per the given number of steps instead of per epoch. */
    public Exponential perSteps(long count) {
        return copy(c -> c.steps = count);
    }

    /** The share of the rate that it does not fall below. */
    public Exponential floor(double share) {
        return copy(c -> c.floor = share);
    }

    @Override
    public void validate() {
        super.validate();
        setting("factor", factor).above(0);
        setting("steps", steps).atLeast(0);
        setting("floor", floor).atLeast(0).atMost(1);
    }

    @Override
    protected double shape(Progress progress) {
        double passed = steps > 0 ? (double) progress.step() / steps : epoch(progress);
        return Math.max(floor, Math.pow(factor, passed));
    }
}
