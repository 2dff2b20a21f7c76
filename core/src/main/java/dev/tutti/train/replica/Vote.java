package dev.tutti.train.replica;

/**
 * What a member says beside its gradients.
 *
 * @param more whether it has more data in this epoch
 * @param stop whether it wants training to end
 * @param interrupted whether it wants that because the user wants to go on later
 * @param reopen whether it has something to say to all before the next step, which is when feeds are opened
 * @param state whether this member will be asked for its {@link Replica#state} right after the step
 * @param pendingMetrics what it has measured
 */
public record Vote(
        boolean more, boolean stop, boolean interrupted, boolean reopen, boolean state, PendingMetrics pendingMetrics) {
    public Vote(boolean more, boolean stop, boolean reopen) {
        this(more, stop, false, reopen, false, PendingMetrics.NONE);
    }
}
