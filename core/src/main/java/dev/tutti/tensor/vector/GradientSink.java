package dev.tutti.tensor.vector;

import dev.tutti.tensor.Tensor;

/** Where a backward pass puts the gradients of parameters. */
public interface GradientSink {
    /** The memory of a parameter's gradient. */
    Tensor gradient(Tensor parameter);

    /** Whether it is added to what is there. */
    boolean adds(Tensor parameter);

    /** The gradient is final, and the pass is through with the parameter's values. */
    void written(Tensor parameter);
}
