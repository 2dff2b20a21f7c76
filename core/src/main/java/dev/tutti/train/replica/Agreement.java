package dev.tutti.train.replica;

import dev.tutti.array.NdArray;
import dev.tutti.comm.Collectives;
import dev.tutti.comm.Team;
import dev.tutti.tensor.Tensor;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * What the training loop asks of all members beside their steps: whether there is more data, whether to stop, what is frozen, which
 * settings hold, what was measured, where the time went. It belongs to the {@link Replica}, since a strategy decides how its members
 * hear of each other: {@link #over} asks the members of the present group in lockstep, and a strategy whose members do not go in
 * lockstep may answer otherwise.
 *
 * <p>Order of calls: all members ask the same questions in the same order. An answer is the same on all of them, unless said otherwise.
 * Where there are several members every call may end in {@link dev.tutti.comm.GroupChangedException}, and nothing was agreed on then.
 */
public interface Agreement {
    /** Votes over the collectives of a team's present group. */
    static Agreement over(Team team) {
        return new CollectiveAgreement(team::collectives);
    }

    /** Votes over the collectives of one group. */
    static Agreement over(Collectives collectives) {
        return new CollectiveAgreement(() -> collectives);
    }

    /** How many members take part. */
    int members();

    /** Whether this member has a rank. */
    boolean isSelf(int rank);

    /** Which of some questions at least one member says yes to. */
    boolean[] any(String what, boolean... mine);

    /**
     * A text that one member decides on.
     *
     * @param own asked on the member with rank {@code source} alone
     */
    String text(String what, Supplier<String> own, int source);

    /** The numbers of all members, by rank; all give equally many. */
    double[][] rows(String what, double... mine);

    /** The whole numbers of all members, by rank; each gives as many as it has. */
    List<long[]> numbers(String what, long[] mine);

    /** The named arrays of all members, by rank. */
    List<Map<String, NdArray>> arrays(String what, Map<String, NdArray> mine);

    /**
     * The whole numbers of the other members, on the chief alone; nothing on the others, and nothing of a member without any.
     *
     * @param lengths how many each member has, by rank
     */
    Map<Integer, long[]> collect(String what, long[] mine, int[] lengths);

    /** The texts of all members, by rank. */
    List<String> texts(String what, String mine);

    /**
     * The elements of one member for all of them, in place; they travel in pieces, from tensor to tensor.
     *
     * @param values of equal size and type on all members, in any layout
     */
    void broadcast(String what, Tensor values, int source);

    /**
     * Elements of one member for another one, in place; they travel in pieces, from tensor to tensor. Only these two call it.
     *
     * @param values of equal size and type on both members, in any layout
     */
    void transfer(String what, Tensor values, int from, int to);

    /** Returns when all members have called it. */
    void barrier(String what);
}
