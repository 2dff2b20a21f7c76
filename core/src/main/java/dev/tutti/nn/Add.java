package dev.tutti.nn;

import dev.tutti.tensor.Tensor;

/** The sum of its inputs, element by element. */
public final class Add extends ElementwiseMerge<Add> {
    Add() {
        super(Tensor::add, "+");
    }
}
