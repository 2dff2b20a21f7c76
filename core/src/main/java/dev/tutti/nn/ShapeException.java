package dev.tutti.nn;

import dev.tutti.TuttiException;

/** Layers that do not fit together, or data that does not fit the model. */
public class ShapeException extends TuttiException {
    private static final long serialVersionUID = 1L;

    public ShapeException(String message) {
        super(message);
    }
}
