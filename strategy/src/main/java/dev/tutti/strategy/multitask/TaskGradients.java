package dev.tutti.strategy.multitask;

import dev.tutti.comm.Team;
import dev.tutti.nn.Model;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.TrainingException;
import dev.tutti.train.multitask.GradientCombination;
import dev.tutti.train.multitask.TaskLoss;
import dev.tutti.train.profile.Timing;
import dev.tutti.train.replica.Replica;
import dev.tutti.train.replica.Strategy;

/**
 * Synchronous training of several tasks whose gradients are summed over all members task by task and then combined: PCGrad, MGDA,
 * CAGrad, GradNorm, uncertainty weighting and others. A step costs one forward and backward pass for each task, and as many sums between members. The result is that of one member
 * with the whole batch, but for the order in which floats are added.
 */
public final class TaskGradients implements Strategy {
    private GradientCombination method = GradientCombination.PC_GRAD;

    private TaskGradients() {}

    public static TaskGradients by(GradientCombination method) {
        TaskGradients strategy = new TaskGradients();
        strategy.method = method;
        return strategy;
    }

    GradientCombination method() {
        return method;
    }

    @Override
    public Replica replica(Model model, TrainingConfig recipe, Team team, Timing timing) {
        if (!(recipe.loss() instanceof TaskLoss loss)) {
            throw new TrainingException(
                    "the strategy taskGradients trains several tasks: expected the loss of tasks, received "
                            + recipe.loss().getClass().getSimpleName());
        }
        return new TaskGradientsReplica(this, model, recipe, loss, team, timing);
    }

    @Override
    public String toString() {
        return "taskGradients(" + method + ")";
    }
}
