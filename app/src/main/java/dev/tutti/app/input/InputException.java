package dev.tutti.app.input;

import dev.tutti.TuttiException;

/** An input that a model cannot be asked about; the message says which one. */
public final class InputException extends TuttiException {
    private static final long serialVersionUID = 1L;

    public InputException(String input, String message) {
        super(input + ": " + message);
    }

    InputException(String input, String message, Throwable cause) {
        super(input + ": " + message, cause);
    }
}
