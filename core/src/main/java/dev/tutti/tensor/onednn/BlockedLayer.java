package dev.tutti.tensor.onednn;

import dev.tutti.array.DType;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.vector.GradientSink;
import java.util.Deque;

/**
 * A layer made ready for one shape of its input, which computes in oneDNN's own layouts. Values and gradients are memory without a
 * shape, and the gradients of values have their layout.
 */
interface BlockedLayer {
    /** What comes out: its lengths, its layout and its type. */
    Output output();

    record Output(long[] lengths, long layout, DType type) {}

    /**
     * Computes.
     *
     * @param x may be overwritten
     * @param saved takes what {@link #backward} needs
     */
    Tensor forward(Tensor x, Deque<Tensor> saved);

    /**
     * Takes a gradient back.
     *
     * @param above of what came out; may be overwritten
     * @param saved gives what {@link #forward} put there
     * @param wanted whether the gradient of what went in is asked for; where not, null is returned
     */
    Tensor backward(Tensor above, Deque<Tensor> saved, boolean wanted, GradientSink sink);
}
