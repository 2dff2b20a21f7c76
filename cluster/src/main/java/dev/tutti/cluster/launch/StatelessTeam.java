package dev.tutti.cluster.launch;

import dev.tutti.cluster.TeamView;
import dev.tutti.comm.Meeting;
import dev.tutti.comm.Team;

/** The team of a member that begins without a state worth anything: at its first meeting it takes over another's. */
public final class StatelessTeam extends TeamView {
    private boolean met;

    public StatelessTeam(Team team) {
        super(team);
    }

    @Override
    public Meeting meet(long progress) {
        Meeting meeting = super.meet(met ? progress : -1);
        met = true;
        return meeting;
    }
}
