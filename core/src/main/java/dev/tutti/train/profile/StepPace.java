package dev.tutti.train.profile;

import dev.tutti.train.profile.Timing.Phase;

/**
 * How long this member is busy with an equal part of what was agreed on: a slow one does not look faster for being given less, and
 * a slow disk makes slow as well.
 */
public final class StepPace {
    private final Timing timing;
    private double busyBefore;

    public StepPace(Timing timing) {
        this.timing = timing;
    }

    /** What was done so far does not count. */
    public void restart() {
        busyBefore = busy();
    }

    /**
     * Seconds since the last agreement.
     *
     * @param own samples of this member
     * @param all samples of all members
     */
    public double measure(long own, long all, int members) {
        double seconds = busy() - busyBefore;
        busyBefore += seconds;
        return own == 0 ? 0 : seconds / own * all / members;
    }

    /** Seconds that this member did not wait for others. */
    private double busy() {
        return timing.seconds(Phase.COMPUTE) + timing.seconds(Phase.FEED);
    }
}
