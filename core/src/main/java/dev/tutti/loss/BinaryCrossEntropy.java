package dev.tutti.loss;

import dev.tutti.TuttiException;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.tensor.Functions;
import dev.tutti.tensor.Functions.Reduction;
import dev.tutti.tensor.Tensor;

/**
 * Yes or no, once or for many labels: targets are 0, 1 or a probability between them, of any type; outputs are logits,
 * that is before the sigmoid.
 */
public final class BinaryCrossEntropy extends ElementwiseLoss {
    private double positiveWeight = 1;

    BinaryCrossEntropy() {}

    /** Lets a yes weigh more than a no, for data in which it is rare. */
    public BinaryCrossEntropy positiveWeight(double weight) {
        return copy(c -> c.positiveWeight = weight);
    }

    @Override
    public void validate() {
        if (!(positiveWeight > 0) || Double.isInfinite(positiveWeight)) {
            throw new TuttiException("binaryCrossEntropy: positiveWeight must be above 0, received " + positiveWeight);
        }
    }

    @Override
    Tensor losses(Tensor output, Tensor target, Reduction reduction) {
        Tensor weight = positiveWeight == 1
                ? null
                : Tensor.scalarOf(positiveWeight, output.type()).to(output.device());
        return Functions.binaryCrossEntropy(output, target, weight, reduction);
    }

    @Override
    public void check(NdArray target, Shape output) {
        super.check(target, output);
        int row = target.size() / (int) Math.max(1, target.shape().dim(0));
        for (int i = 0; i < target.size(); i++) {
            double value = target.at(i);
            if (!(value >= 0 && value <= 1)) {
                throw new TargetException("binaryCrossEntropy: target " + value + " in row " + i / row
                        + " of the batch is not between 0 and 1");
            }
        }
    }
}
