package dev.tutti.loss;

import dev.tutti.tensor.Functions;
import dev.tutti.tensor.Functions.Reduction;
import dev.tutti.tensor.Tensor;

/** The mean of the squared differences. */
public final class MeanSquaredError extends ElementwiseLoss {
    MeanSquaredError() {}

    @Override
    Tensor losses(Tensor output, Tensor target, Reduction reduction) {
        return Functions.squaredError(output, target, reduction);
    }

    @Override
    public String kind() {
        return "mse";
    }
}
