package dev.tutti.comm.message;

import dev.tutti.comm.Member;

/** A way to one other member, for as long as it holds. May be used by several threads. */
public interface MessageLink {
    Member peer();

    /** Begins to receive: called once, when the listener knows the link. */
    default void start() {}

    /** Passes a frame on, behind those before it, and lets go of its tensors when they have left. Does not wait for the peer. */
    void transmit(MessageFrame frame);

    /** Ends the link; its {@link LinkListener} hears that it broke. Closing twice does nothing. */
    void close(String why);
}
