package dev.tutti.optim.schedule;

/** The schedules, to be imported statically: {@code adam(1e-3).schedule(cosine().warmup(500))}. */
public final class Schedules {
    private Schedules() {}

    public static Constant constant() {
        return Constant.ONE;
    }

    /** Divides the rate by ten every given number of epochs; see {@link StepDecay} for other factors, steps and milestones. */
    public static StepDecay step(double epochs) {
        return StepDecay.defaults().everyEpochs(epochs);
    }

    /** By a factor per epoch. */
    public static Exponential exponential(double factor) {
        return Exponential.defaults().factor(factor);
    }

    /** Evenly to zero over the whole run. */
    public static Linear linear() {
        return Linear.defaults();
    }

    /** Along a cosine to zero over the whole run. */
    public static Cosine cosine() {
        return Cosine.defaults();
    }

    /** Up from a 25th of the rate and down to almost nothing over the whole run. */
    public static OneCycle oneCycle() {
        return OneCycle.defaults();
    }

    /** Multiplies the rate by a factor whenever the metric has not improved for more than the given number of epochs. */
    public static ReduceOnPlateau reduceOnPlateau(double factor, int patience) {
        return ReduceOnPlateau.defaults().factor(factor).patience(patience);
    }
}
