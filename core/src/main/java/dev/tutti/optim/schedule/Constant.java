package dev.tutti.optim.schedule;

/** The learning rate stays as it is. */
public final class Constant extends Schedule {
    public static final Constant ONE = new Constant();

    private Constant() {}

    @Override
    protected double shape(Progress progress) {
        return 1;
    }
}
