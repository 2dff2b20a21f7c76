package dev.tutti.optim;

/** The learning rate stays as it is. */
public final class Constant extends Schedule {
    static final Constant ONE = new Constant();

    private Constant() {}

    @Override
    protected double shape(Progress progress) {
        return 1;
    }
}
