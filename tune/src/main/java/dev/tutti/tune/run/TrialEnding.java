package dev.tutti.tune.run;

/**
 * How a place has ended its work on a trial.
 *
 * @param how whether all epochs are done
 * @param reason why it failed; empty otherwise
 */
record TrialEnding(How how, String reason) {
    enum How {
        FINISHED,
        /** It can go on from a checkpoint. */
        PAUSED,
        /** It would fail again. */
        FAILED,
        /** The process was lost, or failed in a way that another attempt may not. */
        LOST
    }

    static TrialEnding of(How how) {
        return new TrialEnding(how, "");
    }
}
