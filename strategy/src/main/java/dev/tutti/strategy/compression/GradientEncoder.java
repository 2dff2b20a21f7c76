package dev.tutti.strategy.compression;

import dev.tutti.tensor.Tensor;
import java.util.List;

/**
 * Makes a range of gradients small for the way from one member to another; what a sum over all members has to do with it is {@link
 * GradientSum}'s. An encoder belongs to one member and one range.
 */
public interface GradientEncoder extends AutoCloseable {
    /** Gradients as they are. */
    GradientEncoder NONE = List::of;

    /**
     * What travels: one tensor of floats, short or not; or places as int64 and the values there, everything else being zero. The tensors
     * belong to the open scope.
     */
    List<Tensor> encode(Tensor gradients);

    /** Whether what was not sent is added to later gradients, so that a range needs an encoder of its own. */
    default boolean remembers() {
        return false;
    }

    @Override
    default void close() {}
}
