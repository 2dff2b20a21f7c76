package dev.tutti.nn;

import dev.tutti.tensor.Randomness;
import dev.tutti.tensor.Shape;
import dev.tutti.tensor.Tensor;

/**
 * What a parameter holds before training.
 *
 * <p>{@code fanIn} and {@code fanOut} are the numbers of inputs and outputs one element connects, which the layer knows.
 */
public enum Initializer {
    ZEROS,
    ONES,
    /** Evenly within {@code ±1/sqrt(fanIn)}, what PyTorch's layers begin with. */
    FAN_IN,
    /** Glorot and Bengio: evenly within {@code ±sqrt(6/(fanIn+fanOut))}. */
    GLOROT,
    /** He: normal with deviation {@code sqrt(2/fanIn)}, for rectified units. */
    HE,
    /** Normal with deviation 1, for embeddings. */
    NORMAL,
    /** Normal with deviation 0.02, usual for transformers. */
    SMALL_NORMAL,
    /** Rows (or columns) at right angles to each other, for recurrent weights. */
    ORTHOGONAL;

    void fill(Tensor values, Shape shape, long fanIn, long fanOut, Randomness random) {
        switch (this) {
            case ZEROS -> values.zero_();
            case ONES -> values.fill_(1);
            case FAN_IN -> {
                double bound = 1 / Math.sqrt(Math.max(1.0, (double) fanIn));
                random.uniform_(values, -bound, bound);
            }
            case GLOROT -> {
                double bound = Math.sqrt(6.0 / Math.max(1, fanIn + fanOut));
                random.uniform_(values, -bound, bound);
            }
            case HE -> random.normal_(values, 0, Math.sqrt(2.0 / Math.max(1, fanIn)));
            case NORMAL -> random.normal_(values, 0, 1);
            case SMALL_NORMAL -> random.normal_(values, 0, 0.02);
            case ORTHOGONAL -> {
                random.normal_(values, 0, 1);
                values.write(Orthogonal.of(values.toArray().reshape(shape.toArray())).reshape(values.shape().toArray()));
            }
        }
    }
}
