package dev.tutti.optim.schedule;

/** Falls evenly. */
public final class Linear extends Annealing<Linear> {
    private Linear() {}

    static Linear defaults() {
        return new Linear();
    }

    @Override
    double curve(double position) {
        return 1 - position;
    }
}
