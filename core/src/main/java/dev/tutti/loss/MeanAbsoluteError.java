package dev.tutti.loss;

import dev.tutti.tensor.Functions;
import dev.tutti.tensor.Functions.Reduction;
import dev.tutti.tensor.Tensor;

/** The mean of the absolute differences. */
public final class MeanAbsoluteError extends ElementwiseLoss {
    MeanAbsoluteError() {}

    @Override
    Tensor mean(Tensor output, Tensor target) {
        return Functions.absoluteError(output, target, Reduction.MEAN);
    }

    @Override
    public String kind() {
        return "mae";
    }
}
