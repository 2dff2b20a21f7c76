package dev.tutti.app;

import dev.tutti.TuttiException;

/** A command that was called in a way that makes no sense. */
public final class UsageException extends TuttiException {
    private static final long serialVersionUID = 1L;

    public UsageException(String message) {
        super(message);
    }
}
