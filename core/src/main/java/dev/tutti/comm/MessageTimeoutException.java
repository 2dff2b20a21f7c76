package dev.tutti.comm;

import dev.tutti.TuttiException;

/** A member that is connected did not answer, send or take a message in time. Whether it has done what was asked is not known. */
public final class MessageTimeoutException extends TuttiException {
    private static final long serialVersionUID = 1;

    private final String member;

    public MessageTimeoutException(String member, String message) {
        super(message);
        this.member = member;
    }

    /** The id of the member that was waited for. */
    public String member() {
        return member;
    }
}
