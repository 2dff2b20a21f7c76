package dev.tutti.app;

import dev.tutti.TuttiException;

/** An input that a model cannot be asked about; the message says which one. */
final class InputException extends TuttiException {
    private static final long serialVersionUID = 1L;

    InputException(String input, String message) {
        super(input + ": " + message);
    }

    InputException(String input, String message, Throwable cause) {
        super(input + ": " + message, cause);
    }
}
