package dev.tutti.serve.batch;

import dev.tutti.array.NdArray;
import java.util.List;

/** Computes the outputs of a batch; called by one thread at a time. */
@FunctionalInterface
public interface BatchFunction {
    /** One array for each output, with the rows of the inputs in their order. */
    List<NdArray> apply(List<NdArray> inputs);
}
