package dev.tutti.tensor;

import java.time.Duration;

/**
 * Connections between each two members of a group, over which tensors travel.
 *
 * <p>Transfers with the same tag between the same two members arrive in the order in which they were begun, and sender and
 * receiver have to mean the same number of bytes. One thread at a time, but for {@link Transfer#abort}.
 */
public interface TensorLinks extends AutoCloseable {
    /**
     * Begins to send the elements of a contiguous tensor; they must not be changed before the transfer has ended.
     *
     * @throws TensorException if the connection is broken
     */
    Transfer send(Tensor values, int to, int tag);

    /**
     * Begins to receive elements into the memory of a contiguous tensor.
     *
     * @throws TensorException if the connection is broken
     */
    Transfer receive(Tensor values, int from, int tag);

    /** Closes the port on which this member listens to further connections. To be called when all members are connected. */
    void refuseNewConnections();

    /** Ends the connections; within a deadline, also if the other side does not answer. Closing twice does nothing. */
    @Override
    void close();

    /** Elements on their way. */
    interface Transfer {
        /**
         * Waits until the elements are there.
         *
         * @return false if it was aborted or has ended before
         * @throws TensorException if the connection broke or time was up
         */
        boolean await(Duration timeout);

        /** Ends the waiting, now or when it begins; by any thread. */
        void abort();

        /** Gives up what was begun. */
        void end();
    }
}
