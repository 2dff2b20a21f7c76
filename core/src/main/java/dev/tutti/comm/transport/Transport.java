package dev.tutti.comm.transport;

import dev.tutti.array.DType;
import dev.tutti.comm.Collectives;
import dev.tutti.comm.Traffic;
import dev.tutti.tensor.Tensor;
import java.util.List;
import java.util.Optional;

/**
 * The way between the members of one group: what is different where they are threads, JVMs of one machine or machines.
 *
 * <p>Order of calls: {@link #agree} by every member, then, if the calls fit, what they called for, by every member; or {@link
 * #answer} by two of them and then {@link #send} and {@link #receive}. One thread at a time. Tensors are flat, contiguous and not
 * empty. Waiting goes through the group's {@link CallDeadline}; what is thrown is as {@link Collectives} says.
 */
public interface Transport extends AutoCloseable {
    /**
     * Tells all members what this one calls for; returns what each of them does, by rank.
     *
     * @param purpose the call in words, for those who will have waited in vain
     */
    List<CollectiveCall> agree(CollectiveCall mine, String purpose);

    /** Tells one other member what this one wants of it; returns what that one wants. */
    CollectiveCall answer(CollectiveCall mine, int peer, String purpose);

    void allReduce(Tensor values);

    void reduceScatter(Tensor values);

    void allGather(Tensor values);

    void broadcast(Tensor values, int root);

    void send(Tensor values, int to);

    void receive(Tensor values, int from);

    /** Lays a vector of each member where all can read it; empty, for all of them, where that cannot be. */
    default Optional<SharedVectors> share(DType type, long elements) {
        return Optional.empty();
    }

    Traffic traffic();

    /** Lets the others know, as well as can be, why this member takes part no more. Does not wait. */
    void tell(RuntimeException failure);

    /** Ends the waiting of a call under way, by any thread: {@link CallDeadline} already knows why. */
    void wake();

    @Override
    void close();
}
