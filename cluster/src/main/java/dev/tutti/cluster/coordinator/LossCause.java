package dev.tutti.cluster.coordinator;

/** Why a member is no longer one. */
public enum LossCause {
    /** It said good-bye. */
    LEFT,
    /** It said good-bye because the work of all is done. */
    DONE,
    /** Its process has ended. */
    EXITED,
    /** Nothing was heard of it for too long. */
    SILENT,
    /** Its connection broke and it did not come back. */
    DISCONNECTED,
    /** Others waited for it in vain within a collective call. */
    ACCUSED,
    /** It was alive but did not come when the others met. */
    ABSENT,
    /** It took too long for its part of the work. */
    SLOW;

    /** Whether it left by itself, so that no member waits for it in vain. */
    public boolean isOrderly() {
        return this == LEFT || this == DONE;
    }
}
