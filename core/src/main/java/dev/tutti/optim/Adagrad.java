package dev.tutti.optim;

import dev.tutti.array.Range;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.vector.FusedUpdate;
import java.util.List;

/**
 * Adagrad: each value moves by its gradient over the root of the sum of all its squared gradients; good for rare
 * features.
 */
public final class Adagrad extends SelfTyped<Adagrad> {
    private double epsilon = 1e-10;

    private Adagrad() {
        super(0.01);
    }

    static Adagrad defaults() {
        return new Adagrad();
    }

    /** Added to the root, so that tiny gradients are not blown up. */
    public Adagrad epsilon(double newEpsilon) {
        return copy(c -> c.epsilon = newEpsilon);
    }

    @Override
    public void validate() {
        super.validate();
        setting("epsilon", epsilon).atLeast(0);
    }

    @Override
    protected Update update(Target target) {
        return new FusedVectorUpdate(target, decay()) {
            private final Tensor sum = state("sum");
            private final Tensor step = counter("step");

            @Override
            FusedUpdate prepare(List<Range> blocks, Tensor values, Tensor gradients, double weightDecay) {
                return FusedUpdate.adagrad(blocks, values, gradients, sum, step, weightDecay, epsilon);
            }
        };
    }
}
