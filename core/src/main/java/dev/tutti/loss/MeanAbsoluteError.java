package dev.tutti.loss;

import dev.tutti.tensor.Functions;
import dev.tutti.tensor.Functions.Reduction;
import dev.tutti.tensor.Tensor;

/** The mean of the absolute differences. */
public final class MeanAbsoluteError extends ElementwiseLoss {
    MeanAbsoluteError() {}

    @Override
    Tensor losses(Tensor output, Tensor target, Reduction reduction) {
        return Functions.absoluteError(output, target, reduction);
    }

    @Override
    public String kind() {
        return "mae";
    }
}
