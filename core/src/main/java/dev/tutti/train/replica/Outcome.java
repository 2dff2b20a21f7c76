package dev.tutti.train.replica;

/**
 * What the members agreed on; the same for all of them.
 *
 * @param steps updates since the last agreement; 0 while members go on without one
 * @param samples samples of those updates, of all members
 * @param loss mean loss of those samples
 * @param more whether any member has more data in this epoch
 * @param stop whether any member wants training to end
 * @param interrupted whether any member wants that in order to go on later
 * @param reopen whether feeds have to be opened anew: shares of the data have changed, or a member asked for it
 * @param state whether the chief may save the state right after the step; where it is divided, all members write their part then
 */
public record Outcome(
        int steps,
        long samples,
        double loss,
        boolean more,
        boolean stop,
        boolean interrupted,
        boolean reopen,
        boolean state) {
    /** That of members that each hold all of the state. */
    public Outcome(
            int steps, long samples, double loss, boolean more, boolean stop, boolean interrupted, boolean reopen) {
        this(steps, samples, loss, more, stop, interrupted, reopen, false);
    }

    /** That of a member on its own. */
    static Outcome alone(long samples, double loss, Vote vote) {
        return new Outcome(1, samples, loss, vote.more(), vote.stop(), vote.interrupted(), vote.reopen());
    }
}
