package dev.tutti.comm;

import dev.tutti.Experimental;
import dev.tutti.array.Range;
import dev.tutti.tensor.Tensor;
import java.util.List;

/**
 * Vectors, one of each member, that lie where all members can read them: their sum is made straight out of the others' memory.
 *
 * <p>Order of calls, by every member, for each round: {@link #awaitReaders}, then writes to {@link #own}; then any call of the
 * {@link Collectives} that all take part in, by which each knows that all have written; {@link #prepare}; {@link #sum} of any
 * ranges, on any threads; {@link #release}. From {@link #prepare} on a round cannot fail any more: what is read is there, also
 * when its member is not. What waits throws as {@link Collectives} says; a member that leaves the group in the middle of a round
 * writes nothing more.
 */
@Experimental
public interface SharedVectorSum extends AutoCloseable {
    /** This member's vector; zeros at first. */
    Tensor own();

    /** Returns when no member needs this member's values any more. */
    void awaitReaders();

    /**
     * Waits, where there are more than two, until each has summed its part for the others.
     *
     * @param wanted the ranges that will be summed in this round, in order; the same on all members
     */
    void prepare(List<Range> wanted);

    /** Writes the sum of a range that lies within one of those wanted, the same bits on every member. */
    void sum(Range range, Tensor into);

    /** Says that this member needs the vectors of the others no more. */
    void release();

    /** Lets the memory go: nothing may use {@link #own} any more. Closing twice does nothing. */
    @Override
    void close();
}
