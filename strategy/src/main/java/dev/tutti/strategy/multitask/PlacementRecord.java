package dev.tutti.strategy.multitask;

import dev.tutti.comm.FencedException;
import dev.tutti.comm.Holding;
import dev.tutti.comm.Ownership;
import dev.tutti.comm.Team;
import dev.tutti.train.multitask.TaskLoss;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes into the table of the job which members work on which tasks, for those who look at the run. */
final class PlacementRecord {
    private static final Logger LOG = LoggerFactory.getLogger(PlacementRecord.class);
    private static final String PREFIX = "task-";

    private final Team team;
    private final TaskLoss tasks;

    PlacementRecord(Team team, TaskLoss tasks) {
        this.team = team;
        this.tasks = tasks;
    }

    /** The id of a member of the present group. */
    String member(int rank) {
        return team.group().members().get(rank).id();
    }

    /** The first holder of each task hands it over, or the new one takes what no member holds. */
    void write(TaskPlacement placement) {
        for (int task = 0; task < placement.ranks().size(); task++) {
            List<String> holders =
                    placement.ranks().get(task).stream().map(this::member).toList();
            try {
                write(PREFIX + tasks.name(task), holders);
            } catch (FencedException e) { // another member is just writing it: training does not depend on the table
                LOG.debug("task {}: {}", tasks.name(task), e.getMessage());
            }
        }
    }

    private void write(String thing, List<String> holders) {
        Ownership ownership = team.ownership();
        String self = member(team.group().rank());
        Optional<Holding> now = ownership.of(thing);
        boolean free = now.isEmpty() || now.get().holders().isEmpty();
        if (free && !holders.isEmpty() && holders.get(0).equals(self)) {
            now = Optional.of(ownership.claim(thing));
        }
        if (now.isPresent() && now.get().isFirst(self) && !now.get().holders().equals(holders)) {
            ownership.assign(now.get(), holders);
        }
    }
}
