package dev.tutti.strategy.multitask;

import dev.tutti.comm.Team;
import dev.tutti.json.Definition;
import dev.tutti.nn.Model;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.TrainingException;
import dev.tutti.train.multitask.TaskLoss;
import dev.tutti.train.profile.Timing;
import dev.tutti.train.replica.Replica;
import dev.tutti.train.replica.Strategy;
import java.util.List;
import java.util.Map;

/**
 * Several tasks on several members, each with tasks of its own. A member trains the layers of its tasks alone; the layers that several tasks
 * share are averaged every so many steps, weighted by the rows that each member has learned from; or {@linkplain #servers parameter servers} hold
 * them, to which each member pushes its gradients at every step without waiting for the others.
 *
 * <p>Tasks are placed by what a row of each costs and how fast each member is, both measured. They are placed anew when a member is lost,
 * joins or becomes slow, and when a task begins or ends to rest.
 */
public final class PlacedTasks extends Definition implements Strategy {
    private static final int DEFAULT_STEPS = 16;

    private int everySteps = DEFAULT_STEPS;
    private List<String> active = List.of();
    private int servers;
    private int backups;

    /** Agrees on the shared part, or with servers on what was done, every so many steps; 16 by default. */
    public PlacedTasks everySteps(int steps) {
        return copy(c -> c.everySteps = steps);
    }

    /** The tasks to begin with; the others rest until the setting {@code tasks} of the run names them. All by default. */
    public PlacedTasks active(String... tasks) {
        return copy(c -> c.active = List.of(tasks));
    }

    /**
     * So many parameter servers hold what several members work on; 0, the default, for averaging. Each member pushes its gradients of it at
     * every step and goes on with the newest values; a task's own layers stay with its member. Of a cluster of processes so many members
     * serve, the others train.
     */
    public PlacedTasks servers(int count) {
        return copy(c -> c.servers = count);
    }

    /** So many copies of what a server holds on other servers; 0 by default: when a server is lost the round under way is done again. */
    public PlacedTasks backups(int copies) {
        return copy(c -> c.backups = copies);
    }

    int servers() {
        return servers;
    }

    int backups() {
        return backups;
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
        if (servers < 0) {
            throw new TrainingException("placedTasks: servers must be 0 or more, received " + servers);
        }
        if (backups < 0 || backups > 0 && backups >= servers) {
            throw new TrainingException("placedTasks: backups must be from 0 to less than the number of servers, "
                    + servers + ", received " + backups);
        }
    }

    @Override
    public Map<String, Integer> roles() {
        return servers == 0 ? Map.of() : Map.of("server", servers);
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
        return "placedTasks().everySteps(" + everySteps + ")" + (active.isEmpty() ? "" : ".active(" + active + ")")
                + (servers == 0 ? "" : ".servers(" + servers + ")")
                + (backups == 0 ? "" : ".backups(" + backups + ")");
    }
}
