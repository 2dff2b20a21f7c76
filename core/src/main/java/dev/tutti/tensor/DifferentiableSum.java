package dev.tutti.tensor;

import java.util.function.Consumer;
import org.bytedeco.pytorch.TensorBase;
import org.bytedeco.pytorch.TensorTensorHook;

/**
 * A sum over several workers that differentiation knows of: what each of them gives is summed on the way forward, and the
 * gradients of the sum, of which every worker has its own, are summed on the way back.
 *
 * <p>Forward and backward run on one thread for each worker.
 */
final class DifferentiableSum {
    /**
     * One for the whole JVM, since the engine has room for few; it runs on the thread that went forward before. A hook object for each sum
     * (a {@code FunctionPostHook} of its node) would need no thread-local, but JavaCPP leaves a weak reference behind for each of them:
     * one for every layer and step.
     */
    private static final TensorTensorHook HOOK = new Hook();

    private static final ThreadLocal<Consumer<Tensor>> SUM = new ThreadLocal<>();

    private static final TensorTensorHook BACKWARD_HOOK = new BackwardHook();

    private static final ThreadLocal<Consumer<Tensor>> BACKWARD_SUM = new ThreadLocal<>();

    private DifferentiableSum() {}

    /**
     * The same tensor, whose gradient is summed over several workers on the way back: each of them uses it for a part of what follows.
     *
     * @param sum adds up a tensor with those of the other workers, in place; must not throw
     */
    static Tensor ofGradients(Tensor same, Consumer<Tensor> sum) {
        if (!same.handle().requires_grad()) {
            return same;
        }
        BACKWARD_SUM.set(sum);
        Tensor out = same.view(same.shape().toArray());
        NativeConversions.run("sharedGradient", () -> out.handle().register_hook(BACKWARD_HOOK));
        return out;
    }

    /** @param sum adds up a tensor with those of the other workers, in place; must not throw */
    static Tensor of(Tensor own, Consumer<Tensor> sum) {
        SUM.set(sum);
        Tensor out = own.mul(1);
        try (NoGradients off = NoGradients.begin()) {
            Tensor total = own.detach().copy();
            sum.accept(total);
            out.copy_(total);
        }
        if (out.handle().requires_grad()) {
            NativeConversions.run("sharedSum", () -> out.handle().register_hook(HOOK));
        }
        return out;
    }

    private static final class BackwardHook extends TensorTensorHook {
        BackwardHook() {
            retainReference();
        }

        @Override
        public TensorBase call(TensorBase gradient) {
            return summed(gradient, BACKWARD_SUM.get());
        }
    }

    private static TensorBase summed(TensorBase gradient, Consumer<Tensor> sum) {
        try (NoGradients off = NoGradients.begin()) {
            Tensor total =
                    new Tensor(new org.bytedeco.pytorch.Tensor(gradient)).copy().contiguous();
            sum.accept(total);
            return total.handle(); // freed with the scope around the backward pass
        }
    }

    private static final class Hook extends TensorTensorHook {
        Hook() {
            retainReference(); // made within the scope that happens to come first, and not freed with it
        }

        @Override
        public TensorBase call(TensorBase gradient) {
            return summed(gradient, SUM.get());
        }
    }
}
