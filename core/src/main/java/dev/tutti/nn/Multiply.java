package dev.tutti.nn;

import dev.tutti.tensor.Tensor;

/** The product of its inputs, element by element, as gates need it. */
public final class Multiply extends ElementwiseMerge<Multiply> {
    Multiply() {
        super(Tensor::mul, "*");
    }
}
