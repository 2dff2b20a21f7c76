package dev.tutti.optim;

import dev.tutti.TuttiException;
import dev.tutti.array.Range;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.vector.FusedUpdate;
import dev.tutti.tensor.vector.FusedUpdate.SgdSettings;
import java.util.List;

/** Stochastic gradient descent, with momentum and Nesterov's look-ahead on request. */
public final class Sgd extends SelfTyped<Sgd> {
    private double momentum;
    private boolean nesterov;

    private Sgd() {
        super(0.01);
    }

    static Sgd defaults() {
        return new Sgd();
    }

    /** Adds up past gradients, each step's sum scaled by this; 0.9 is usual. */
    public Sgd momentum(double newMomentum) {
        return copy(c -> c.momentum = newMomentum);
    }

    /** Looks one step of momentum ahead. */
    public Sgd nesterov() {
        return copy(c -> c.nesterov = true);
    }

    @Override
    public void validate() {
        super.validate();
        setting("momentum", momentum).atLeast(0).below(1);
        if (nesterov && momentum == 0) {
            throw new TuttiException("sgd: nesterov looks ahead along the momentum, which is 0: set momentum first");
        }
    }

    @Override
    protected Update update(Target target) {
        return new FusedVectorUpdate(target, decay()) {
            private final Tensor velocity = momentum == 0 ? null : state("velocity");

            @Override
            FusedUpdate prepare(List<Range> blocks, Tensor values, Tensor gradients, double weightDecay) {
                return FusedUpdate.sgd(
                        blocks, values, gradients, velocity, new SgdSettings(momentum, weightDecay, nesterov));
            }
        };
    }
}
