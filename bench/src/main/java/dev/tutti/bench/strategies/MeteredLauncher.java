package dev.tutti.bench.strategies;

import dev.tutti.cluster.TeamView;
import dev.tutti.comm.Meeting;
import dev.tutti.comm.Team;
import dev.tutti.train.Launcher;
import dev.tutti.train.WorkerTask;

/** A launcher that lets one see how many bytes this member has sent. Others are told nothing of it. */
public final class MeteredLauncher implements Launcher {
    private final Launcher place;
    private Team team;
    private long before;

    public MeteredLauncher(Launcher place) {
        this.place = place;
    }

    /** Bytes sent so far, in this group and all before. */
    public long sent() {
        return before + team.collectives().traffic().sent();
    }

    @Override
    public Team assemble(WorkerTask work) {
        team = place.assemble(work);
        return new TeamView(team) {
            private boolean met;

            @Override
            public Meeting meet(long progress) {
                if (met) {
                    before = sent();
                }
                met = true;
                return super.meet(progress);
            }
        };
    }

    @Override
    public String toString() {
        return place.toString();
    }
}
