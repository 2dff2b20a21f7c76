package dev.tutti.comm;

import dev.tutti.array.DType;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.util.Arrays;
import java.util.Optional;

/**
 * What the members of one group compute together, on contiguous tensors: usually ranges of a model's vector.
 *
 * <p>Order of calls: all members make the same calls in the same order, with the same name, type and number of elements; then
 * {@link #close}. Calls of one member come from one thread at a time. Every call ends within the group's deadline.
 *
 * <p>All of them throw {@link MemberLostException} when a member did not take part in time or is known to be gone, and {@link
 * MismatchedCallException} when members called for different things; both name the member. After a failure the group is of no
 * more use: its members {@linkplain Team#meet meet} again in a new one, and tensors given to the failed call may hold anything.
 */
public interface Collectives extends AutoCloseable {
    Group group();

    /** Sums over all members, in place. The result is the same bits on every member. */
    void allReduce(String what, Tensor values);

    /** Sums a few numbers over all members: votes, counts. The result is the same bits on every member. */
    default double[] sum(String what, double... mine) {
        if (group().size() == 1 || mine.length == 0) {
            return mine.clone();
        }
        try (Scope scope = Scope.open()) {
            Tensor values = Tensor.of(mine, mine.length);
            allReduce(what, values);
            return values.toArray().doubles();
        }
    }

    /**
     * The numbers of all members, by rank, the same on every member. All give equally many.
     *
     * @return one row for each member, as it was given; they travel as a sum with zeros
     */
    default double[][] gather(String what, double... mine) {
        int members = group().size();
        double[] all = new double[members * mine.length];
        System.arraycopy(mine, 0, all, group().rank() * mine.length, mine.length);
        double[] sums = sum(what, all);
        double[][] rows = new double[members][];
        for (int rank = 0; rank < members; rank++) {
            rows[rank] = Arrays.copyOfRange(sums, rank * mine.length, (rank + 1) * mine.length);
        }
        return rows;
    }

    /** The whole numbers of all members, by rank, the same on every member. All give equally many. */
    default long[][] gatherLongs(String what, long... mine) {
        int members = group().size();
        long[] all = new long[members * mine.length];
        System.arraycopy(mine, 0, all, group().rank() * mine.length, mine.length);
        try (Scope scope = Scope.open()) {
            Tensor table = Tensor.of(all, all.length);
            allGather(what, table);
            long[] heard = table.toArray().longs();
            long[][] rows = new long[members][];
            for (int rank = 0; rank < members; rank++) {
                rows[rank] = Arrays.copyOfRange(heard, rank * mine.length, (rank + 1) * mine.length);
            }
            return rows;
        }
    }

    /**
     * Sums over all members; afterwards {@link Group#part} of this member holds its part of the result and the rest may hold
     * anything. Followed by {@link #allGather} it is {@link #allReduce}, to the same bits.
     */
    void reduceScatter(String what, Tensor values);

    /** Gives every member's {@linkplain Group#part part} to all others, in place. */
    void allGather(String what, Tensor values);

    /** Gives all elements of the member with rank {@code root} to the others. */
    void broadcast(String what, Tensor values, int root);

    /** Gives elements to one other member, which calls {@link #receive} with the same name. */
    void send(String what, Tensor values, int to);

    /** Takes what another member sent. */
    void receive(String what, Tensor values, int from);

    /** Returns when all members have called it. */
    void barrier(String what);

    /**
     * Takes part, with nothing, in all sums that the others call for, until all of them have called it too: for a member whose
     * data ran out before the others'.
     */
    void join();

    /**
     * Lays a vector of each member where all of them can read it; a call that all members make, like the others. What it gives
     * belongs to the caller and may outlive these collectives, though it waits for no member any more.
     *
     * @return nothing, on all members, where they do not share memory or there is not enough of it
     */
    default Optional<SharedVectorSum> summands(String what, DType type, long elements) {
        return Optional.empty();
    }

    /** Bytes this member has sent and received so far, the elements alone. */
    Traffic traffic();

    /** Ends the call under way, and every later one, with this failure. May be called by any thread; more than once does nothing. */
    void abort(MemberLostException reason);

    /** Lets go of connections and memory. Closing twice does nothing. */
    @Override
    void close();
}
