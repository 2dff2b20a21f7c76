package dev.tutti.optim;

import dev.tutti.optim.schedule.Schedule;

/** An optimizer whose common settings return its own type, so that settings can be given in any order. */
public abstract class SelfTyped<S extends SelfTyped<S>> extends Optimizer {
    protected SelfTyped(double learningRate) {
        super(learningRate);
    }

    protected SelfTyped(double learningRate, double weightDecay) {
        super(learningRate, weightDecay);
    }

    @Override
    public S learningRate(double rate) {
        return self(super.learningRate(rate));
    }

    @Override
    public S schedule(Schedule schedule) {
        return self(super.schedule(schedule));
    }

    @Override
    public S weightDecay(double amount) {
        return self(super.weightDecay(amount));
    }

    @Override
    public S noDecay(String... patterns) {
        return self(super.noDecay(patterns));
    }

    @Override
    public S clipNorm(double max) {
        return self(super.clipNorm(max));
    }

    @Override
    public S clipValue(double max) {
        return self(super.clipValue(max));
    }

    @SuppressWarnings("unchecked")
    private S self(Optimizer changed) {
        return (S) changed;
    }
}
