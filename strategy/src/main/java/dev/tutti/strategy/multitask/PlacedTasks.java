package dev.tutti.strategy.multitask;

import dev.tutti.comm.Team;
import dev.tutti.nn.Model;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.TrainingException;
import dev.tutti.train.multitask.TaskLoss;
import dev.tutti.train.profile.Timing;
import dev.tutti.train.replica.Replica;
import dev.tutti.train.replica.Strategy;
import java.util.List;

/**
 * Several tasks on several members, each with tasks of its own. A member trains the layers of its tasks alone; the layers that several tasks
 * share are averaged every so many steps, weighted by the rows that each member has learned from.
 *
 * <p>Tasks are placed by what a row of each costs and how fast each member is, both measured. They are placed anew when a member is lost,
 * joins or becomes slow, and when a task begins or ends to rest.
 */
public final class PlacedTasks implements Strategy {
    private static final int DEFAULT_STEPS = 16;

    private int everySteps = DEFAULT_STEPS;
    private List<String> active = List.of();

    public PlacedTasks() {}

    private PlacedTasks(int everySteps, List<String> active) {
        this.everySteps = everySteps;
        this.active = List.copyOf(active);
    }

    /** Agrees on the shared part every so many steps; 16 by default. */
    public PlacedTasks everySteps(int steps) {
        PlacedTasks copy = new PlacedTasks(steps, active);
        copy.validate();
        return copy;
    }

    /** The tasks to begin with; the others rest until the setting {@code tasks} of the run names them. All by default. */
    public PlacedTasks active(String... tasks) {
        return new PlacedTasks(everySteps, List.of(tasks));
    }

    int steps() {
        return everySteps;
    }

    List<String> active() {
        return active;
    }

    @Override
    public void validate() {
        if (everySteps < 1) {
            throw new TrainingException("placedTasks: everySteps must be at least 1, received " + everySteps);
        }
    }

    @Override
    public Replica replica(Model model, TrainingConfig recipe, Team team, Timing timing) {
        validate();
        if (!(recipe.loss() instanceof TaskLoss loss)) {
            throw new TrainingException(
                    "the strategy placedTasks trains several tasks: expected the loss of tasks, received "
                            + recipe.loss().getClass().getSimpleName());
        }
        return new PlacedTasksReplica(this, model, recipe, loss, team, timing);
    }

    /** Between two averages members go their own ways. */
    @Override
    public boolean exact() {
        return false;
    }

    @Override
    public String toString() {
        return "placedTasks().everySteps(" + everySteps + ")" + (active.isEmpty() ? "" : ".active(" + active + ")");
    }
}
