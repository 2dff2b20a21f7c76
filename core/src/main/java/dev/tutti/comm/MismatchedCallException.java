package dev.tutti.comm;

import dev.tutti.TuttiException;

/** Members called for different things at the same time: a mistake in the program, said at once instead of waited for. */
public final class MismatchedCallException extends TuttiException {
    private static final long serialVersionUID = 1;

    public MismatchedCallException(String message) {
        super(message);
    }
}
