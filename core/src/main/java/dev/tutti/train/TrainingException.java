package dev.tutti.train;

import dev.tutti.TuttiException;

/** Training that cannot begin or go on, such as a loss that is no number any more. */
public class TrainingException extends TuttiException {
    private static final long serialVersionUID = 1L;

    public TrainingException(String message) {
        super(message);
    }

    public TrainingException(String message, Throwable cause) {
        super(message, cause);
    }
}
