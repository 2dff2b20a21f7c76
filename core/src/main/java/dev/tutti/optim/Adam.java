package dev.tutti.optim;

/** Adam: each value moves by the mean of its gradients over the root of the mean of their squares. */
public final class Adam extends SelfTyped<Adam> {
    private double beta1 = 0.9;
    private double beta2 = 0.999;
    private double epsilon = 1e-8;

    private Adam() {
        super(1e-3);
    }

    static Adam defaults() {
        return new Adam();
    }

    /** How slowly the mean of the gradients and that of their squares move. */
    public Adam betas(double first, double second) {
        return copy(c -> {
            c.beta1 = first;
            c.beta2 = second;
        });
    }

    /** Added to the root, so that tiny gradients are not blown up. */
    public Adam epsilon(double newEpsilon) {
        return copy(c -> c.epsilon = newEpsilon);
    }

    @Override
    public void validate() {
        super.validate();
        setting("beta1", beta1).atLeast(0).below(1);
        setting("beta2", beta2).atLeast(0).below(1);
        setting("epsilon", epsilon).atLeast(0);
    }

    @Override
    protected Update update(Target target) {
        return new AdamUpdate(target, decay(), beta1, beta2, epsilon);
    }
}
