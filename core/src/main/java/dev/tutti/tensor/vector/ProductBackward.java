package dev.tutti.tensor.vector;

import dev.tutti.array.DType;
import dev.tutti.tensor.Functions;
import dev.tutti.tensor.MatrixProducts;
import dev.tutti.tensor.NativeConversions;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Tensor;
import java.util.Optional;
import java.util.function.Consumer;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.global.torch;

/**
 * A product with a large weight. The engine would compute the weight's gradient in memory of its own, and copying that into the
 * vector costs a twentieth of a step: here it is computed straight into the vector.
 */
final class ProductBackward extends ManualBackward {
    private final Tensor output;
    private final LargeGradient weight;
    private final MatrixProducts products;
    private final Tensor factor; // the input in the type that is multiplied in
    private final Tensor bias;
    private final boolean rectified;

    /** Computes {@code x * weightᵀ + bias}, with negative results set to zero where it is {@code rectified}, in a type. */
    ProductBackward(Tensor x, LargeGradient weight, Tensor bias, boolean rectified, DType type, ManualBackward before) {
        super(x, before);
        this.weight = weight;
        this.bias = bias;
        this.rectified = rectified;
        try (NoGradients off = NoGradients.begin()) {
            products = weight.products(type);
            factor = x.type() == type ? x : x.to(type);
            output = products.forward(factor, bias);
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
        Optional<Tensor> gradient = output.gradient();
        if (gradient.isEmpty()) {
            return; // the pass did not come to this product
        }
        Tensor above = gradient.get();
        Tensor below;
        try (NoGradients off = NoGradients.begin()) {
            writeGradients(above, add);
            below = input().handle().requires_grad() ? products.toInput(above).to(input().type()) : null;
            written.accept(weight.parameter());
            if (bias != null) {
                written.accept(bias);
            }
        }
        if (below != null) {
            passOn(below);
        }
    }

    private void writeGradients(Tensor above, boolean add) {
        if (rectified) {
            NativeConversions.run(
                    "backward",
                    () -> torch.threshold_backward_out(above.handle(), above.handle(), output.handle(), new Scalar(0)));
        }
        products.toWeight(above, factor, add);
        if (bias != null) {
            bias.gradient().orElseThrow().add_(above.sum(0)); // zero before, where nothing is to be added to
        }
    }
}
