package dev.tutti.cluster.launch;

import dev.tutti.cluster.ClusterTeam;
import dev.tutti.cluster.rpc.JoinRequest;
import dev.tutti.comm.Team;
import dev.tutti.comm.connection.Connections;
import dev.tutti.train.JobFingerprint;
import dev.tutti.train.Launcher;
import dev.tutti.train.WorkerTask;

/** The launcher of a JVM that another one has started: it takes part, and takes over the state of those who were there before. */
final class WorkerCluster implements Launcher {
    private final WorkerInvitation invitation;

    WorkerCluster(WorkerInvitation invitation) {
        this.invitation = invitation;
    }

    @Override
    public Team assemble(WorkerTask work) {
        return new StatelessTeam(ClusterTeam.join(
                invitation.address(),
                JoinRequest.worker(invitation.wish()).settings(JobFingerprint.of(work)),
                invitation.workers(),
                Connections::open));
    }

    @Override
    public String toString() {
        return invitation.wish();
    }
}
