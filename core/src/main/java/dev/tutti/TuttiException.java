package dev.tutti;

/**
 * An error that the user can correct: the message says what was expected, what was received and where.
 *
 * <p>The command line prints the message alone, without a stack trace; anything that is not of this kind is a fault of ours.
 */
public class TuttiException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public TuttiException(String message) {
        super(message);
    }

    public TuttiException(String message, Throwable cause) {
        super(message, cause);
    }
}
