package dev.tutti.comm;

import dev.tutti.TuttiException;

/** A member wanted to act as the holder of a thing that it does not hold, or under a term that is over. */
public final class FencedException extends TuttiException {
    private static final long serialVersionUID = 1;

    public FencedException(String message) {
        super(message);
    }

    public FencedException(String message, Throwable cause) {
        super(message, cause);
    }
}
