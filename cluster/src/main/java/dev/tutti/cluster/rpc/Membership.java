package dev.tutti.cluster.rpc;

import dev.tutti.cluster.coordinator.Timeouts;

/**
 * Being a member of a job.
 *
 * @param id the name the coordinator gave
 * @param session what only this member knows
 * @param patience how long is waited for what in this job
 */
public record Membership(String id, String session, Timeouts patience) {
    CoordinatorProtocol.Caller caller() {
        return new CoordinatorProtocol.Caller(id, session);
    }

    /** The session is a secret: it is not shown. */
    @Override
    public String toString() {
        return id;
    }
}
