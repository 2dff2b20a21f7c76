package dev.tutti.keras;

import dev.tutti.TuttiException;

/** A model that is used in a wrong way; the message says what was expected. */
public class KerasException extends TuttiException {
    private static final long serialVersionUID = 1L;

    public KerasException(String message) {
        super(message);
    }
}
