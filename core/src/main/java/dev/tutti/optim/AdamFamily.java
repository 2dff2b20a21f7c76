package dev.tutti.optim;

/**
 * What Adam and its variants have in common.
 *
 * @param <S> the kind of optimizer that settings return
 */
public abstract sealed class AdamFamily<S extends AdamFamily<S>> extends SelfTyped<S> permits Adam, AdamW {
    private double beta1 = 0.9;
    private double beta2 = 0.999;
    private double epsilon = 1e-8;

    AdamFamily(double learningRate, double weightDecay) {
        super(learningRate, weightDecay);
    }

    /** How slowly the mean of the gradients and that of their squares move. */
    public S betas(double first, double second) {
        return copy(c -> {
            base(c).beta1 = first;
            base(c).beta2 = second;
        });
    }

    /** Added to the root, so that tiny gradients are not blown up. */
    public S epsilon(double newEpsilon) {
        return copy(c -> base(c).epsilon = newEpsilon);
    }

    @Override
    public void validate() {
        super.validate();
        setting("beta1", beta1).atLeast(0).below(1);
        setting("beta2", beta2).atLeast(0).below(1);
        setting("epsilon", epsilon).atLeast(0);
    }

    final Update update(Target target, Decay decay) {
        return new AdamUpdate(target, decay, beta1, beta2, epsilon);
    }

    private static <S extends AdamFamily<S>> AdamFamily<S> base(S optimizer) {
        return optimizer;
    }
}
