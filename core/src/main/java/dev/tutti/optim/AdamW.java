package dev.tutti.optim;

/** Adam with weight decay taken straight from the values, where the means of the gradients do not see it. */
public final class AdamW extends SelfTyped<AdamW> {
    private double beta1 = 0.9;
    private double beta2 = 0.999;
    private double epsilon = 1e-8;

    private AdamW() {
        super(1e-3, 0.01);
    }

    static AdamW defaults() {
        return new AdamW();
    }

    /** How slowly the mean of the gradients and that of their squares move. */
    public AdamW betas(double first, double second) {
        return copy(c -> {
            c.beta1 = first;
            c.beta2 = second;
        });
    }

    /** Added to the root, so that tiny gradients are not blown up. */
    public AdamW epsilon(double newEpsilon) {
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
        return new AdamUpdate(target, decoupledDecay(), beta1, beta2, epsilon);
    }
}
