package dev.tutti.comm;

import java.util.List;
import java.util.OptionalInt;

/**
 * Chunks of a data set's epochs, given out so that each of them is used exactly once. What a member had leased and not yet used when
 * it was lost, others get.
 *
 * <p>Order of calls, for each epoch: {@link #begin} by every member, then {@link #lease} and {@link #used} in turn.
 */
public interface Leases {
    /** The name of the data set that a model is trained on. */
    String TRAINING = "training";

    /**
     * Says how many chunks an epoch has, numbered from 0. The first to say it counts, others have to agree.
     *
     * @param used those that were used before, by a run that goes on from a checkpoint
     */
    void begin(int epoch, int chunks, List<Integer> used);

    /** Another chunk for this member; empty when none is left to give at the moment. */
    default OptionalInt lease(int epoch) {
        return lease(epoch, ChunkPreference.NONE);
    }

    /** Another chunk for this member, one that it prefers if there is one; empty when none is left to give at the moment. */
    OptionalInt lease(int epoch, ChunkPreference preference);

    /** All members have agreed on what was learned from these chunks of this member's: they are not given out again. */
    void used(int epoch, List<Integer> chunks);

    /** Gives back what this member has leased and not used. */
    void giveBack(int epoch);

    /** The numbers of the chunks that were used. */
    List<Integer> used(int epoch);
}
