package dev.tutti.tensor;

import org.bytedeco.pytorch.Context;

/**
 * While open, this thread takes numbers too small for a float's exponent (below 1e-38) for zero.
 *
 * <p>Processors need a hundred times as long for such numbers, and optimizers come to them by themselves: the mean of gradients
 * that have become zero shrinks by a tenth with every step, and some hundred steps later an update takes four times as long.
 */
public final class NoDenormals implements AutoCloseable {
    private NoDenormals() {}

    public static NoDenormals begin() {
        Engine.load();
        Context.setFlushDenormal(true);
        return new NoDenormals();
    }

    @Override
    public void close() {
        Context.setFlushDenormal(false);
    }
}
