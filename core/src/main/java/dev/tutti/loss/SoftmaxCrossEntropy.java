package dev.tutti.loss;

import dev.tutti.tensor.Functions;
import dev.tutti.tensor.Tensor;

/** Softmax cross entropy. */
public final class SoftmaxCrossEntropy extends Loss {
    @Override
    public Tensor compute(Tensor output, Tensor target) {
        return Functions.crossEntropy(output, target, null, 0, Functions.Reduction.MEAN);
    }
}
