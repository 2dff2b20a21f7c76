package dev.tutti.train;

import dev.tutti.train.Timing.Phase;

/** How long this member computes for an equal part of what was agreed on: a slow one does not look faster for being given less. */
final class Pace {
    private final Timing timing;
    private double computedBefore;

    Pace(Timing timing) {
        this.timing = timing;
    }

    /** What was computed so far does not count. */
    void restart() {
        computedBefore = timing.seconds(Phase.COMPUTE);
    }

    /**
     * Seconds since the last agreement.
     *
     * @param own samples of this member
     * @param all samples of all members
     */
    double measure(long own, long all, int members) {
        double seconds = timing.seconds(Phase.COMPUTE) - computedBefore;
        computedBefore += seconds;
        return own == 0 ? 0 : seconds / own * all / members;
    }
}
