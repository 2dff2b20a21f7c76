package dev.tutti.cluster.launch;

import dev.tutti.cluster.ClusterTeam;
import dev.tutti.cluster.rpc.Newcomer;
import dev.tutti.comm.Connections;
import dev.tutti.comm.Team;
import dev.tutti.train.Assignment;
import dev.tutti.train.Workplace;

/** The workplace of a JVM that another one has started: it takes part, and takes over the state of those who were there before. */
final class Invited implements Workplace {
    private final Invitation invitation;

    Invited(Invitation invitation) {
        this.invitation = invitation;
    }

    @Override
    public Team assemble(Assignment work) {
        return new Blank(ClusterTeam.join(
                invitation.address(), Newcomer.worker(invitation.wish()), invitation.threads(), Connections::open));
    }

    @Override
    public String toString() {
        return invitation.wish();
    }
}
