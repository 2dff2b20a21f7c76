package dev.tutti.loss;

import dev.tutti.TuttiException;

/** A target that cannot belong to the model's output: a class that does not exist, a shape that does not fit. */
public class TargetException extends TuttiException {
    private static final long serialVersionUID = 1L;

    public TargetException(String message) {
        super(message);
    }
}
