package dev.tutti.train.run;

/** How a run is. */
public enum RunState {
    /** It trains, or is about to. */
    RUNNING,
    /** All epochs are done, and the model is saved. */
    COMPLETED,
    /** A callback or an observer ended it early. */
    STOPPED,
    /** It was interrupted, and can go on from its last checkpoint. */
    INTERRUPTED,
    /** It ended with an error, which the status tells. */
    FAILED,
    /** Its process is gone without having said so, and it can go on from its last checkpoint. Never written. */
    LOST;

    public boolean hasEnded() {
        return this != RUNNING;
    }
}
