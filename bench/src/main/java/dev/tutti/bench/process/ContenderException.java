package dev.tutti.bench.process;

import dev.tutti.TuttiException;

/** A contender could not be started, died, gave no answer in time, or answered with an error; its row says so. */
public final class ContenderException extends TuttiException {
    private static final long serialVersionUID = 1L;

    public ContenderException(String message) {
        super(message);
    }

    public ContenderException(String message, Throwable cause) {
        super(message, cause);
    }
}
