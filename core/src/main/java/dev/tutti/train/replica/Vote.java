package dev.tutti.train.replica;

/**
 * What a member says beside its gradients.
 *
 * @param more whether it has more data in this epoch
 * @param stop whether it wants training to end
 * @param interrupted whether it wants that because somebody wants to go on later
 * @param reopen whether it has something to say to all before the next step, which is when feeds are opened
 * @param state whether somebody will ask this member for its {@link Replica#state} right after the step
 * @param findings what it has measured
 */
public record Vote(
        boolean more, boolean stop, boolean interrupted, boolean reopen, boolean state, PendingMetrics findings) {
    public Vote(boolean more, boolean stop, boolean reopen) {
        this(more, stop, false, reopen, false, PendingMetrics.NONE);
    }
}
