package dev.tutti.tensor;

import org.bytedeco.pytorch.FunctionPreHook;
import org.bytedeco.pytorch.GradMode;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;

/**
 * Computes the gradient of a dense layer's weight straight into the vector, when the backward pass comes by.
 *
 * <p>The engine would compute it elsewhere, and copying it costs a twentieth of a step. So the engine is told that the weight
 * is a constant, and this hook sits on the product: it sees the gradient of the product's result before the engine passes it on
 * to the input and the bias.
 *
 * <p>The engine owns the native half of a hook and knows this half only weakly; {@link Scope} holds it.
 */
final class WeightGradient extends FunctionPreHook {
    private final LargeGradient gradient;
    private final long version;
    private org.bytedeco.pytorch.Tensor input;

    private WeightGradient(LargeGradient gradient, org.bytedeco.pytorch.Tensor input) {
        this.gradient = gradient;
        this.input = input.detach();
        this.input.retainReference(); // beyond the scope of the forward pass; freed when the gradient is done
        version = input._version();
        deallocate(false);
    }

    /** Whether the product can be made that way: with gradients to record, where something but the weight asks for them. */
    static boolean isPossible(Tensor x, Tensor weight, Tensor bias) {
        return weight.largeGradient() != null
                && GradMode.is_enabled()
                && weight.handle().requires_grad()
                && (x.handle().requires_grad() || (bias != null && bias.handle().requires_grad()))
                && !x.handle().is_mkldnn()
                && x.rank() >= 2
                && x.device().equals(Device.CPU)
                && Scope.isOpen();
    }

    /** {@code x * weightᵀ + bias}, with this hook on it. */
    static org.bytedeco.pytorch.Tensor linear(Tensor x, Tensor weight, Tensor bias) {
        var y = torch.linear(x.handle(), weight.handle().detach(), Native.optional(bias));
        WeightGradient hook = new WeightGradient(weight.largeGradient(), x.handle());
        Scope.hold(hook);
        y.grad_fn().add_pre_hook(hook);
        return y;
    }

    @Override
    public TensorVector apply(TensorVector gradients) {
        try (Scope scope = Scope.open()) {
            if (input == null) {
                throw new IllegalStateException("a backward pass went twice over the same product");
            }
            if (input._version() != version) {
                throw new IllegalStateException(
                        "the input of a product was changed before the backward pass needed it");
            }
            var above = gradients.get(0);
            if (above.defined()) {
                var rows = above.reshape(-1, above.size(-1));
                gradient.addProduct(rows.t(), input.reshape(-1, input.size(-1)));
            }
            input.releaseReference();
            input = null;
        }
        return gradients;
    }
}
