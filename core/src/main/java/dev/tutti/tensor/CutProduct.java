package dev.tutti.tensor;

import java.util.function.Consumer;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.global.torch;

/**
 * A product with a large weight. The engine would compute the weight's gradient in memory of its own, and copying that into the
 * vector costs a twentieth of a step: here it is computed straight into the vector.
 */
final class CutProduct extends Cut {
    private final Tensor output;
    private final LargeGradient weight;
    private final Tensor bias;
    private final boolean rectified;

    /** Computes {@code x * weightᵀ + bias}, with negative results set to zero where it is {@code rectified}. */
    CutProduct(Tensor x, LargeGradient weight, Tensor bias, boolean rectified, Cut before) {
        super(x, before);
        this.weight = weight;
        this.bias = bias;
        this.rectified = rectified;
        try (NoGradients off = NoGradients.begin()) {
            output = Functions.linear(x, weight.parameter(), bias);
            if (rectified) {
                Functions.relu_(output);
            }
        }
        output.requiresGradient(true);
    }

    @Override
    Tensor output() {
        return output;
    }

    @Override
    boolean leavesGradient() {
        return !rectified;
    }

    @Override
    void backward(boolean add, Consumer<Tensor> written) {
        Tensor above = output.gradient();
        if (above == null) {
            return; // the pass did not come to this product
        }
        Tensor below;
        try (NoGradients off = NoGradients.begin()) {
            Native.run("backward", () -> writeGradients(above.handle(), add));
            written.accept(weight.parameter());
            if (bias != null) {
                written.accept(bias);
            }
            below = input().handle().requires_grad() ? above.matmul(weight.parameter()) : null;
        }
        if (below != null) {
            passOn(below);
        }
    }

    private void writeGradients(org.bytedeco.pytorch.Tensor above, boolean add) {
        if (rectified) {
            torch.threshold_backward_out(above, above, output.handle(), new Scalar(0));
        }
        if (add) {
            weight.view().handle().addmm_(above.t(), input().handle());
        } else {
            torch.mm_out(weight.view().handle(), above.t(), input().handle());
        }
        if (bias != null) {
            bias.gradient().handle().add_(above.sum(0)); // zero before, where nothing is to be added to
        }
    }
}
