package dev.tutti.train.replica;

import dev.tutti.Experimental;
import dev.tutti.data.Batch;
import dev.tutti.data.Dataset;
import dev.tutti.data.Position;
import dev.tutti.nn.Model;
import dev.tutti.tensor.Tensor;
import java.util.Map;

/**
 * One member's part of training, driven by the one training loop. Strategies differ in what happens inside.
 *
 * <p>Order of calls: {@link #open} for each epoch, and again where an {@link Outcome} says so; for each step {@link #begin}, then
 * {@link #accumulate} any number of times, none when this member has no data left, then {@link #update} once; at the end {@link
 * #close}. {@link #state} may be read and written between steps: that is how it is saved, restored and taken over by others.
 *
 * <p>Where there are several members every call may end in {@link dev.tutti.comm.GroupChangedException}; after the members have
 * met again {@link #regrouped} is called, the state of the furthest is written where it has to be, and the work since the last
 * agreement is done once more, beginning with {@link #open}.
 */
@Experimental
public interface Replica extends AutoCloseable {
    Model model();

    /**
     * This member's part of an epoch.
     *
     * @param from the place to begin at, or null for the beginning of the epoch
     */
    Feed open(Dataset data, int epoch, Position from);

    /** Says once, before the first step, how many batches make an update; 1 unless it is said. */
    default void batchesPerUpdate(int count) {}

    /**
     * A step begins.
     *
     * @param number how many came before
     * @param learningRate what the update will move by
     */
    void begin(long number, double learningRate);

    /** Runs a batch forward and backward; gradients add up until the next update, each sample counting the same. */
    StepResult accumulate(Batch batch);

    /** Agrees with the other members, and moves the parameters. */
    Outcome update(Vote vote);

    /** The members are lost for good: goes back to the last agreement, without a word to anybody, to leave a sound state behind. */
    default void abandon() {}

    /**
     * The members have met: forgets what was not agreed on. The parameters are those of the last agreement again.
     *
     * @throws StateLostException on all members, if some of the state went with a member; {@link #startOver} is next
     */
    default void regrouped() {}

    /** All of the state is about to be written anew, from a checkpoint. */
    default void startOver() {}

    /** Everything beside the model that the next step depends on, by name. */
    Map<String, Tensor> state();

    @Override
    void close();
}
