package dev.tutti.tensor.vector;

import dev.tutti.tensor.NativeConversions;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import org.bytedeco.pytorch.FunctionPostHook;
import org.bytedeco.pytorch.Node;
import org.bytedeco.pytorch.TensorVector;

/** Tells, on the thread of the backward pass, that the gradient of a parameter has been accumulated. */
final class GradientHook extends FunctionPostHook {
    private final Runnable accumulated;
    private final Node node; // the engine frees it, and the hook with it, unless a reference is held

    private GradientHook(Node node, Runnable accumulated) {
        this.node = node;
        this.accumulated = accumulated;
    }

    /** @param accumulated must not throw: the engine would not carry it through */
    static GradientHook on(Tensor parameter, Runnable accumulated) {
        try (Scope scope = Scope.open()) {
            return NativeConversions.call("gradient hook", () -> {
                var handle = parameter.handle();
                Node node = handle.expand_as(handle).grad_fn().next_edge(0).function();
                node.retainReference();
                GradientHook hook = new GradientHook(node, accumulated);
                hook.retainReference();
                node.add_post_hook(hook);
                hook.deallocate(false); // it is the node's from now on
                return hook;
            });
        }
    }

    @Override
    public TensorVector apply(TensorVector outputs, TensorVector inputs) {
        accumulated.run();
        return outputs;
    }

    /** Lets go of the node. */
    void release() {
        node.releaseReference();
    }
}
