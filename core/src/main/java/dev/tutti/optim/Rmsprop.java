package dev.tutti.optim;

import dev.tutti.tensor.Tensor;
import java.util.List;

/** RMSprop: each value moves by its gradient over the root of the moving mean of its squares. */
public final class Rmsprop extends SelfTyped<Rmsprop> {
    private double alpha = 0.99;
    private double epsilon = 1e-8;
    private double momentum;
    private boolean centred;

    private Rmsprop() {
        super(1e-3);
    }

    static Rmsprop defaults() {
        return new Rmsprop();
    }

    /** How slowly the mean of the squares moves. */
    public Rmsprop alpha(double newAlpha) {
        return copy(c -> c.alpha = newAlpha);
    }

    /** Added to the root, so that tiny gradients are not blown up. */
    public Rmsprop epsilon(double newEpsilon) {
        return copy(c -> c.epsilon = newEpsilon);
    }

    /** Adds up past moves, each step's sum scaled by this. */
    public Rmsprop momentum(double newMomentum) {
        return copy(c -> c.momentum = newMomentum);
    }

    /** Divides by the spread of the gradients around their mean instead of around zero. */
    public Rmsprop centred() {
        return copy(c -> c.centred = true);
    }

    @Override
    public void validate() {
        super.validate();
        setting("alpha", alpha).atLeast(0).below(1);
        setting("epsilon", epsilon).atLeast(0);
        setting("momentum", momentum).atLeast(0).below(1);
    }

    @Override
    protected Update update(Target target) {
        return new VectorUpdate(target, decay()) {
            private final Tensor square = state("square");
            private final Tensor mean = centred ? state("mean") : null;
            private final Tensor velocity = momentum > 0 ? state("velocity") : null;

            @Override
            protected void move(List<ParameterSlice> stretches, double rate) {
                for (ParameterSlice s : stretches) {
                    Tensor gradients = s.gradients();
                    s.of(square).mul_(alpha).addcmul_(gradients, gradients, 1 - alpha);
                    Tensor root = spread(s).add_(epsilon);
                    if (velocity == null) {
                        s.values().addcdiv_(gradients, root, -rate);
                    } else {
                        s.values().add_(s.of(velocity).mul_(momentum).addcdiv_(gradients, root, 1), -rate);
                    }
                }
            }

            private Tensor spread(ParameterSlice s) {
                if (mean == null) {
                    return s.of(square).sqrt();
                }
                Tensor moving = s.of(mean).lerp_(s.gradients(), 1 - alpha);
                return s.of(square).copy().addcmul_(moving, moving, -1).sqrt_();
            }
        };
    }
}
