package dev.tutti.comm;

import dev.tutti.TuttiException;

/** The members are not the same any more: work of the present group ends and its members meet again. */
public class GroupChangedException extends TuttiException {
    private static final long serialVersionUID = 1;

    public GroupChangedException(String message) {
        super(message);
    }

    public GroupChangedException(String message, Throwable cause) {
        super(message, cause);
    }
}
