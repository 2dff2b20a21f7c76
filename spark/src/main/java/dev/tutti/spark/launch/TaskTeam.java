package dev.tutti.spark.launch;

import dev.tutti.cluster.TeamView;
import dev.tutti.comm.Meeting;
import dev.tutti.comm.MemberLostException;
import dev.tutti.comm.Report;
import dev.tutti.comm.Team;
import java.util.List;

/**
 * The team of a task. The task leaves it when it ends, which is after its training: so the chief can still send the model. A task that
 * Spark wants back leaves its group at once.
 */
final class TaskTeam extends TeamView {
    private final Team team;
    private final TaskCounters counters;
    private volatile MemberLostException recalled;

    TaskTeam(Team team, TaskCounters counters) {
        super(team);
        this.team = team;
        this.counters = counters;
    }

    /** Spark wants the task back: what it waits for ends. May be called by any thread. */
    void recall(String why) {
        recalled = new MemberLostException(List.of(), why);
        try {
            team.collectives().abort(recalled);
        } catch (IllegalStateException e) {
            return; // it has not met the others yet, and will not
        }
    }

    private void requireWanted() {
        if (recalled != null) {
            throw recalled;
        }
    }

    @Override
    public Meeting meet(long progress) {
        requireEnd();
        return super.meet(progress);
    }

    private void requireEnd() {
        if (recalled != null) {
            throw new TaskRecalledException(recalled.getMessage());
        }
    }

    @Override
    public void check() {
        requireWanted();
        super.check();
    }

    @Override
    public void report(Report report) {
        counters.add(report);
        super.report(report);
    }

    @Override
    public void close() {
        if (recalled != null) {
            leave();
        }
    }

    /** Leaves the others. */
    void leave() {
        super.close();
    }
}
