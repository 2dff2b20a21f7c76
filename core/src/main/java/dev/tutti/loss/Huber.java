package dev.tutti.loss;

import dev.tutti.TuttiException;
import dev.tutti.tensor.Functions;
import dev.tutti.tensor.Functions.Reduction;
import dev.tutti.tensor.Tensor;

/** Squared for small differences, absolute for large ones, so that outliers do not rule. */
public final class Huber extends ElementwiseLoss {
    private double delta = 1;

    private Huber() {}

    Huber(double delta) {
        this.delta = delta;
        validate();
    }

    @Override
    public void validate() {
        if (!(delta > 0) || Double.isInfinite(delta)) {
            throw new TuttiException(
                    "huber: delta, where squares turn into absolutes, must be above 0, received " + delta);
        }
    }

    @Override
    Tensor losses(Tensor output, Tensor target, Reduction reduction) {
        return Functions.huber(output, target, delta, reduction);
    }
}
