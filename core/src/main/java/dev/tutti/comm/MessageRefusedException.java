package dev.tutti.comm;

import dev.tutti.TuttiException;

/** A member answered that it does not do what it was asked; the message names the member and says why. */
public final class MessageRefusedException extends TuttiException {
    private static final long serialVersionUID = 1;

    /** The member does not serve the topic. */
    public static final String UNKNOWN_TOPIC = "unknown-topic";
    /** The member has too many requests under way. */
    public static final String BUSY = "busy";
    /** The handler failed. */
    public static final String FAILED = "failed";
    /** The request was made under a term that is over. */
    public static final String OLD_TERM = "old-term";
    /** The member that was asked acts under a term that is over. */
    public static final String FENCED = "fenced";

    private final String code;

    /** @param code what a program tells refusals apart by: one of those here or one of the handler's own */
    public MessageRefusedException(String code, String reason) {
        super(reason);
        this.code = code;
    }

    public String code() {
        return code;
    }
}
