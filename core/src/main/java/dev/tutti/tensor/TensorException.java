package dev.tutti.tensor;

import dev.tutti.TuttiException;

/** An operation that the engine refused: shapes that do not fit, indices out of range, memory that is not there. */
public class TensorException extends TuttiException {
    private static final long serialVersionUID = 1L;

    public TensorException(String message) {
        super(message);
    }

    public TensorException(String message, Throwable cause) {
        super(message, cause);
    }
}
