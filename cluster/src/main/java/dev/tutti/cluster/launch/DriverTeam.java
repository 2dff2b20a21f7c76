package dev.tutti.cluster.launch;

import dev.tutti.cluster.TeamView;
import dev.tutti.comm.Team;

/** The driver's part in a team whose other members it has started: its own failure also says which of them failed first. */
final class DriverTeam extends TeamView {
    private final ChildProcesses children;

    DriverTeam(Team team, ChildProcesses children) {
        super(team);
        this.children = children;
    }

    @Override
    public void failed(Throwable why) {
        children.firstToFail().map(LaunchException::new).ifPresent(why::addSuppressed);
        super.failed(why);
    }
}
