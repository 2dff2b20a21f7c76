package dev.tutti.nn;

import dev.tutti.tensor.Randomness;
import dev.tutti.tensor.Tensor;

/** Gives a parameter or buffer the values it has before training; {@link Initializer} has the usual ways. */
@FunctionalInterface
public interface Filling {
    /**
     * Overwrites all values, from the given random numbers alone.
     *
     * @param fanIn how many inputs one output is made of
     * @param fanOut how many outputs one input takes part in
     */
    void fill(Tensor values, long fanIn, long fanOut, Randomness random);
}
