package dev.tutti.comm.message;

import dev.tutti.array.DType;
import dev.tutti.array.Shape;
import dev.tutti.comm.Member;
import dev.tutti.tensor.Tensor;
import java.util.Optional;

/** A way to one other member, for as long as it holds. May be used by several threads. */
public interface MessageLink {
    Member peer();

    /** Begins to receive: called once, when the listener knows the link. */
    default void start() {}

    /** Passes a frame on, behind those before it, and lets go of its tensors when they have left. Does not wait for the peer. */
    void transmit(MessageFrame frame);

    /**
     * A tensor with any elements in memory that the peer reads: a frame whose only tensor it is passes it on without a copy. It belongs to the open
     * scope. Empty where there is no such memory, or no room in it.
     */
    default Optional<Tensor> lend(DType type, Shape shape) {
        return Optional.empty();
    }

    /** Ends the link; its {@link LinkListener} hears that it broke. Closing twice does nothing. */
    void close(String why);
}
