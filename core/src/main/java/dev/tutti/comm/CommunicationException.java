package dev.tutti.comm;

import dev.tutti.TuttiException;

/** Members cannot be connected for a reason that meeting again does not change. */
public final class CommunicationException extends TuttiException {
    private static final long serialVersionUID = 1;

    public CommunicationException(String message, Throwable cause) {
        super(message, cause);
    }
}
