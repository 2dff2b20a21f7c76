package dev.tutti.strategy.allreduce;

import dev.tutti.comm.Collectives;
import dev.tutti.comm.Group;
import dev.tutti.tensor.Tensor;
import java.util.Map;

/**
 * How members come from gradients of their own to the same parameters, and where the optimizer's state lies.
 *
 * <p>Order of calls for each step: {@link #begin}, {@link #ready}, then all agree that they are; {@link #sum}, {@link #update},
 * {@link #share}. {@link #regrouped} whenever the members have met.
 */
interface Exchange extends AutoCloseable {
    /** Whether the gradients of this member are all that the update needs, as they are. */
    default boolean isOfOneMember(Group group) {
        return false;
    }

    /** Gradients are about to be written. */
    default void begin() {}

    /** The gradients of this member are written; the others hear of it next. */
    default void ready() {}

    /** Brings the gradients of all members together, as far as this one needs them. */
    void sum(Collectives collectives, long step);

    /**
     * Moves what this member moves.
     *
     * @param factor what the sums are multiplied by
     */
    void update(Collectives collectives, double learningRate, double factor);

    /**
     * Gives others what this member moved.
     *
     * @param stateWanted whether {@link #state} must be there afterwards on the chief
     */
    void share(Collectives collectives, boolean stateWanted);

    /**
     * The members have met; may speak with them.
     *
     * @throws dev.tutti.train.replica.StateLostException on all of them, if some of the state went with a member
     */
    void regrouped(Collectives collectives);

    /** Gradients may be written where other members read them; called after {@link #regrouped}, unless they travel before {@link #ready}. */
    default void shareMemory(Collectives collectives) {}

    /** The state is about to be written anew, all of it. */
    default void startOver() {}

    /** The optimizer's state of the whole vector; as {@link dev.tutti.train.replica.Replica#state}. */
    Map<String, Tensor> state();

    @Override
    void close();
}
