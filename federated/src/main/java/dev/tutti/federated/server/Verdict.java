package dev.tutti.federated.server;

/** What becomes of an answer. */
public enum Verdict {
    /** It counts. */
    ACCEPTED,
    /** The round was complete, or its deadline over. */
    LATE,
    /** The client has answered in this round already. */
    DOUBLED,
    /** It belongs to another round. */
    OLD_ROUND,
    /** The client was not asked in this round. */
    NOT_ASKED,
    /** It is no update of this model: wrong shapes, numbers that are not finite, an unbelievable count of samples. */
    MALFORMED
}
