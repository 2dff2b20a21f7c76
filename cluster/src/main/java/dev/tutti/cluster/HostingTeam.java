package dev.tutti.cluster;

import dev.tutti.comm.Team;

/** A team whose coordinator, and perhaps other members, run for as long as this member is part of it. */
public final class HostingTeam extends TeamView {
    private final Runnable end;
    private boolean closed;

    /** @param end ends what runs for the others, after this member has left */
    public HostingTeam(Team team, Runnable end) {
        super(team);
        this.end = end;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            try {
                super.close();
            } finally {
                end.run();
            }
        }
    }
}
