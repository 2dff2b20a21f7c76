package dev.tutti.train.replica;

import dev.tutti.Experimental;
import dev.tutti.data.Dataset;
import dev.tutti.data.Position;
import dev.tutti.nn.Model;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * One member's part of training, driven by the one training loop. Strategies differ in what happens inside.
 *
 * <p>Order of calls: {@link #batchesPerUpdate} at most once; {@link #regrouped} when the members have met; {@link #open} for each epoch,
 * and again where an {@link Outcome} says so; {@link #step} any number of times; at the end {@link #close}. {@link #state} may be read
 * and written between steps: that is how it is saved, restored and taken over by others.
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

    /** Says once, before the members meet, how many batches make an update; 1 unless it is said. */
    default void batchesPerUpdate(int count) {}

    /** Updates of an epoch, where they do not follow from its batches; empty otherwise. */
    default OptionalLong updatesPerEpoch() {
        return OptionalLong.empty();
    }

    /**
     * Makes one step: takes the batches of {@code input}, computes their gradients, agrees with the other members, and moves the
     * parameters. A strategy may interleave these as it likes: gradients may travel and parameters may move while passes still run.
     *
     * <p>Before: the members have met and a feed is open. Parameters are those of the last agreement, or this member's own since then.
     *
     * <p>After an outcome with steps: parameters, running statistics and {@link #state} are those that all members agreed on. After one
     * without steps this member has gone on alone, and the other members know nothing of it.
     *
     * <p>After {@link dev.tutti.comm.GroupChangedException} nothing of this step counts, and parameters and statistics may hold
     * anything in between, until {@link #regrouped} or {@link #abandon} has brought those of the last agreement back. After any other
     * exception, such as for a sample that the model cannot take, training is over: some parameters may have moved and others not, so
     * the model and the state are of no use, and {@link #close} is the only call left.
     *
     * @param plan the number of the step, and its learning rate
     * @param input the batches of this member, none when it has no data left, and its vote
     * @return what all members agreed on
     */
    Outcome step(StepPlan plan, StepInput input);

    /** The members are lost for good: goes back to the last agreement without a call to other members, to leave a sound state behind. */
    default void abandon() {}

    /**
     * The members have met: forgets what was not agreed on. The parameters are those of the last agreement again. Called again if it
     * ends in {@link dev.tutti.comm.GroupChangedException}. Where {@link #state} is divided it needs what the new group asks of this
     * member, and is {@linkplain StateRedistribution redistributed} before the next step.
     */
    default void regrouped() {}

    /** Nothing of the state counts any more: it is about to be written anew, from a checkpoint or another member's. */
    default void startOver() {}

    /**
     * How batches run through a model of which each member holds a part, without learning; empty where every member holds all of it. Asked
     * between steps, by all members together.
     */
    default Optional<PartForward> forwardOfParts() {
        return Optional.empty();
    }

    /**
     * Training is over; all members call it together. A strategy whose members hold parts may give the whole model to some of them here,
     * where it fits.
     *
     * @return the model that is left to the caller, who closes it; if it is another one, that of {@link #model} was closed
     */
    default Model finished() {
        return model();
    }

    /** How the loop asks something of all members beside their steps; holds through all changes of the group. */
    Agreement agreement();

    /** What this member holds of everything beside the model that the next step depends on; as of now. */
    HeldState state();

    /** What there is to tell of the run beside its steps, such as where tasks were worked on; asked when training is over. */
    default StrategyReport report() {
        return StrategyReport.NONE;
    }

    @Override
    void close();
}
