package dev.tutti.cluster.rpc;

import dev.tutti.cluster.coordinator.Patience;

/**
 * Being a member of a job.
 *
 * @param id the name the coordinator gave
 * @param session what only this member knows
 * @param patience how long is waited for what in this job
 */
public record Membership(String id, String session, Patience patience) {
    Wire.Caller caller() {
        return new Wire.Caller(id, session);
    }

    /** The session is a secret: it is not shown. */
    @Override
    public String toString() {
        return id;
    }
}
