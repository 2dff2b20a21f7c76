package dev.tutti.strategy.allreduce;

import dev.tutti.comm.Collectives;
import dev.tutti.data.Batch;
import dev.tutti.train.replica.HeldState;
import dev.tutti.train.replica.StepResult;
import dev.tutti.train.worker.LocalWorkers;

/**
 * One way from the gradients of each member to the same parameters on all of them; {@link ExchangeChoice} chooses it when a group forms.
 *
 * <p>Order of calls: {@link #formed} once. For each step {@link #begin} and {@link #backward} for each batch, neither where a member has
 * no data; {@link #complete}; then all members agree that they are there. If any of them had data, {@link #sum}, {@link #update}, {@link
 * #share} follow. {@link #abandon} after a step that failed; {@link #leave} when the group is over.
 */
interface Exchange {
    /** The members have met. */
    default void formed(Collectives group) {}

    /** Gradients are about to be written. */
    default void begin() {}

    /** Runs one batch of the step forward and backward, as {@link LocalWorkers#backward} does. */
    StepResult backward(Batch batch, LocalWorkers.Turn turn, double learningRate);

    /**
     * All passes of this member are over: its gradients are where this exchange needs them, zeros where it had no data.
     *
     * @param began when the passes were over
     * @return since when this member waits for others: what gradients took to travel until now is counted already
     */
    long complete(boolean hadData, long began);

    /** Brings the gradients of all members together, as far as this one needs them. */
    void sum(OwnGradients own);

    /**
     * Moves what this member moves.
     *
     * @param factor what the sums are multiplied by
     */
    void update(double learningRate, double factor);

    /** Gives others what this member moved. */
    default void share() {}

    /** The step under way came to nothing: waits until nothing of it uses the gradients any more. */
    default void abandon() {}

    /** The group is over: gradients lie in this member's own memory again. Leaving twice does nothing. */
    default void leave() {}

    /** Nothing of the state counts any more: it is about to be written anew. */
    default void startOver() {}

    /** What this member holds of the optimizer's state; as {@link dev.tutti.train.replica.Replica#state}. */
    HeldState state();

    /**
     * What this member gives to a sum.
     *
     * @param step the number of the step
     * @param hadData whether its gradients are other than zero
     * @param factor what the sum of all will be multiplied by
     */
    record OwnGradients(long step, boolean hadData, double factor) {}
}
