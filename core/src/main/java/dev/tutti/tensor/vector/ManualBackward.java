package dev.tutti.tensor.vector;

import dev.tutti.tensor.Tensor;
import java.util.function.Consumer;

/**
 * A place at which the record of a forward pass is cut: what comes behind it is recorded as if its output were an input, so the
 * engine's backward pass ends there, and {@link #backward} takes it on to what comes before.
 *
 * <p>That is right only where all that comes behind depends on what comes before through this place alone.
 */
abstract class ManualBackward implements AutoCloseable {
    private final Tensor input;
    private final boolean followsAnother;

    /** @param before the cut before this one; may be null */
    ManualBackward(Tensor input, ManualBackward before) {
        this.input = input;
        followsAnother = before != null && before.output() == input;
    }

    Tensor input() {
        return input;
    }

    /** What comes behind begins with it. */
    abstract Tensor output();

    /**
     * Takes the backward pass from behind this place to before it.
     *
     * @param add whether gradients are added to what the vector holds
     * @param written hears of the parameters as soon as their gradients are final and the pass is through with their values, before
     *     it goes on
     */
    abstract void backward(boolean add, Consumer<Tensor> written);

    /** Whether {@link #backward} leaves the gradient of the output as it is, so that others may use its memory. */
    abstract boolean leavesGradient();

    /** Lets go of what is kept for the backward pass. Closing twice does nothing. */
    @Override
    public void close() {}

    /** Lets the engine go on before this place. */
    final void passOn(Tensor gradient) {
        if (followsAnother) {
            input.accumulateInto(gradient); // nothing in between for the engine to do
        } else {
            input.backward(gradient);
        }
    }
}
