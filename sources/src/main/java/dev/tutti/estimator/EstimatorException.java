package dev.tutti.estimator;

import dev.tutti.TuttiException;

/** An estimator that is used in a wrong way; the message says what was expected. */
public class EstimatorException extends TuttiException {
    private static final long serialVersionUID = 1L;

    public EstimatorException(String message) {
        super(message);
    }
}
