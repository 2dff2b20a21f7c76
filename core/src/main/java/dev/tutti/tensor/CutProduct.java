package dev.tutti.tensor;

import java.util.function.Consumer;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.global.torch;

/**
 * A product with a large weight at which the record of a forward pass is cut.
 *
 * <p>The engine would compute the weight's gradient in memory of its own, and copying that into the vector costs a twentieth of a
 * step. So what comes behind the product is recorded as if its result were an input: the engine's backward pass ends there, {@link
 * #backward} writes the gradients of weight and bias straight into the vector, and the engine goes on with what comes before.
 *
 * <p>That is right only where all that comes behind depends on what comes before through this product alone.
 */
final class CutProduct {
    private final Tensor input;
    private final Tensor output;
    private final LargeGradient weight;
    private final Tensor bias;
    private final boolean rectified;
    private final boolean followsAnother;

    /**
     * Computes {@code x * weightᵀ + bias}, with negative results set to zero where it is {@code rectified}.
     *
     * @param before the cut product before this one; may be null
     */
    CutProduct(Tensor x, LargeGradient weight, Tensor bias, boolean rectified, CutProduct before) {
        input = x;
        this.weight = weight;
        this.bias = bias;
        this.rectified = rectified;
        followsAnother = before != null && before.output == x;
        try (NoGradients off = NoGradients.begin()) {
            output = Functions.linear(x, weight.parameter(), bias);
            if (rectified) {
                Functions.relu_(output);
            }
        }
        output.requiresGradient(true);
    }

    Tensor output() {
        return output;
    }

    Range weightRange() {
        return weight.range();
    }

    /** Whether a parameter is the weight or the bias of this product. */
    boolean has(Tensor parameter) {
        return parameter == weight.parameter() || parameter == bias;
    }

    /**
     * Takes the backward pass from behind the product to before it.
     *
     * @param add whether gradients are added to what the vector holds
     * @param written hears of the parameters as soon as their gradients are final, before the pass goes on
     */
    void backward(boolean add, Consumer<CutProduct> written) {
        Tensor above = output.gradient();
        if (above == null) {
            return; // the pass did not come to this product
        }
        Tensor below;
        try (NoGradients off = NoGradients.begin()) {
            Native.run("backward", () -> writeGradients(above.handle(), add));
            written.accept(this);
            below = input.handle().requires_grad() ? above.matmul(weight.parameter()) : null;
        }
        if (below != null && followsAnother) {
            input.accumulateInto(below); // nothing in between for the engine to do
        } else if (below != null) {
            input.backward(below);
        }
    }

    private void writeGradients(org.bytedeco.pytorch.Tensor above, boolean add) {
        if (rectified) {
            torch.threshold_backward_out(above, above, output.handle(), new Scalar(0));
        }
        if (add) {
            weight.view().handle().addmm_(above.t(), input.handle());
        } else {
            torch.mm_out(weight.view().handle(), above.t(), input.handle());
        }
        if (bias != null) {
            bias.gradient().handle().add_(above.sum(0)); // zero before, where nothing is to be added to
        }
    }
}
