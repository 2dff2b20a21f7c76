package dev.tutti.optim;

import dev.tutti.tensor.Tensor;
import java.util.Map;

/**
 * An optimizer at work on its target: it holds the state, such as momentum, that belongs to the target's range.
 *
 * <p>Order of calls: {@link #apply} after each backward pass, any number of times; then {@link #close}. {@link #state}
 * may be read and written between steps: that is how it is saved and restored, and a restored run goes on to the same
 * bits.
 */
public interface Update extends AutoCloseable {
    /**
     * Moves the values of the target by their gradients. The gradients are used up: they may hold anything afterwards.
     */
    void apply(double learningRate);

    /**
     * The same by gradients that lie elsewhere, which are read and not changed. It saves a copy of them.
     *
     * @param gradients contiguous, one axis, as long as the target's range
     * @return whether it was done; if not nothing has changed, and the gradients have to be copied to the target's
     */
    default boolean applyFrom(Tensor gradients, double learningRate) {
        return false;
    }

    /** The state by name; each tensor is as long as the target's range, or a single number. Writing to it restores. */
    Map<String, Tensor> state();

    /** Frees the state. Closing twice does nothing. */
    @Override
    void close();
}
