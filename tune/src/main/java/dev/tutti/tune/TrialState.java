package dev.tutti.tune;

/** What a trial is doing. */
public enum TrialState {
    /** It has not begun, or its process was lost: it can begin, or go on from its checkpoint. */
    WAITING,
    /** A place works on it. */
    RUNNING,
    /** It has a checkpoint and may be asked to go on. */
    PAUSED,
    /** It has done all of its epochs. */
    FINISHED,
    /** It cannot go on. */
    FAILED
}
