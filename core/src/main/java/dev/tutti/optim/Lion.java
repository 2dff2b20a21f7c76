package dev.tutti.optim;

import dev.tutti.tensor.Tensor;
import java.util.List;

/** Lion: every value moves by the same amount, in the direction of its smoothed gradient; half the state of Adam. */
public final class Lion extends SelfTyped<Lion> {
    private double beta1 = 0.9;
    private double beta2 = 0.99;

    private Lion() {
        super(1e-4);
    }

    static Lion defaults() {
        return new Lion();
    }

    /** How much of the momentum goes into the direction of a step, and how slowly the momentum itself moves. */
    public Lion betas(double first, double second) {
        return copy(c -> {
            c.beta1 = first;
            c.beta2 = second;
        });
    }

    @Override
    public void validate() {
        super.validate();
        setting("beta1", beta1).atLeast(0).below(1);
        setting("beta2", beta2).atLeast(0).below(1);
    }

    @Override
    protected Update update(Target target) {
        return new VectorUpdate(target, decoupledDecay()) {
            private final Tensor momentum = state("momentum");

            @Override
            protected void move(List<ParameterSlice> stretches, double rate) {
                for (ParameterSlice s : stretches) {
                    Tensor gradients = s.gradients();
                    Tensor direction =
                            s.of(momentum).mul(beta1).add_(gradients, 1 - beta1).sign_();
                    s.values().add_(direction, -rate);
                    s.of(momentum).mul_(beta2).add_(gradients, 1 - beta2);
                }
            }
        };
    }
}
