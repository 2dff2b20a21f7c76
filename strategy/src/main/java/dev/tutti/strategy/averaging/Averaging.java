package dev.tutti.strategy.averaging;

import dev.tutti.comm.Team;
import dev.tutti.nn.Model;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.TrainingException;
import dev.tutti.train.profile.Timing;
import dev.tutti.train.replica.Replica;
import dev.tutti.train.replica.Strategy;
import java.util.Objects;

/**
 * Members train on their own and average their models every so many steps, or once in an epoch: far less traffic than all-reduce,
 * for a result that is near to that of one machine but not the same.
 *
 * <pre>{@code
 * averaging().everySteps(32).weights(bySamples()).outer(nesterov(0.7, 0.9))
 * }</pre>
 *
 * <p>Each member's batch is its share of the dataset's, so that an epoch has as many steps as on one machine. Data comes in chunks
 * that members lease one after the other: in an epoch each is learned from once, by one of them, and faster members take more.
 */
public final class Averaging implements Strategy {
    private static final int DEFAULT_STEPS = 16;

    private Integer everySteps;
    private boolean everyEpoch;
    private Weights weights = Weights.plain();
    private OuterOptimizer outer;
    private boolean averageOptimizerState;

    public Averaging() {}

    private Averaging(Averaging other) {
        everySteps = other.everySteps;
        everyEpoch = other.everyEpoch;
        weights = other.weights;
        outer = other.outer;
        averageOptimizerState = other.averageOptimizerState;
    }

    /** Averages every so many steps; 16 by default. */
    public Averaging everySteps(int steps) {
        Averaging copy = new Averaging(this);
        copy.everySteps = steps;
        copy.everyEpoch = false;
        return copy.checked();
    }

    /** Averages once in an epoch, when its data is used up. */
    public Averaging everyEpoch() {
        Averaging copy = new Averaging(this);
        copy.everySteps = null;
        copy.everyEpoch = true;
        return copy.checked();
    }

    /** How much each member's model counts; the plain mean by default. */
    public Averaging weights(Weights choice) {
        Averaging copy = new Averaging(this);
        copy.weights = Objects.requireNonNull(choice, "weights");
        return copy.checked();
    }

    /** Takes the averaged move for a gradient and follows it with an optimizer of its own, such as {@code nesterov(0.7, 0.9)}. */
    public Averaging outer(OuterOptimizer choice) {
        Averaging copy = new Averaging(this);
        copy.outer = choice;
        return copy.checked();
    }

    /** Averages what the optimizer remembers too, such as Adam's moments, which otherwise stays each member's own: more traffic. */
    public Averaging averageOptimizerState() {
        Averaging copy = new Averaging(this);
        copy.averageOptimizerState = true;
        return copy.checked();
    }

    private Averaging checked() {
        validate();
        return this;
    }

    @Override
    public void validate() {
        if (everySteps != null && everyEpoch) {
            throw new TrainingException("averaging: give one of everySteps and everyEpoch, received everySteps "
                    + everySteps + " and everyEpoch");
        }
        if (everySteps != null && everySteps < 1) {
            throw new TrainingException("averaging: everySteps must be at least 1, received " + everySteps);
        }
        if (weights == null) {
            throw new TrainingException(
                    "averaging: weights must be one of plain, samples and locallyWeighted, received nothing");
        }
        weights.validate();
        if (outer != null) {
            outer.validate();
        }
    }

    /** Steps of a round; as good as endless where it ends with the epoch. */
    int steps() {
        return everyEpoch ? Integer.MAX_VALUE : everySteps == null ? DEFAULT_STEPS : everySteps;
    }

    Weights weights() {
        return weights;
    }

    /** May be null. */
    OuterOptimizer outer() {
        return outer;
    }

    boolean averagesOptimizerState() {
        return averageOptimizerState;
    }

    @Override
    public Replica replica(Model model, TrainingConfig recipe, Team team, Timing timing) {
        validate();
        return new AveragingReplica(this, model, recipe, team, timing);
    }

    /** Between two averages members go their own ways. */
    @Override
    public boolean exact() {
        return false;
    }

    @Override
    public String toString() {
        return "averaging()" + (everyEpoch ? ".everyEpoch()" : ".everySteps(" + steps() + ")")
                + (weights instanceof EqualWeights ? "" : ".weights(" + weights + ")")
                + (outer == null ? "" : ".outer(" + outer + ")")
                + (averageOptimizerState ? ".averageOptimizerState()" : "");
    }
}
