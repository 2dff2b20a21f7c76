package dev.tutti.data;

import dev.tutti.TuttiException;

/** Data that is missing, damaged or requested in an unsupported way; the message names the file, row or stage. */
public class DataException extends TuttiException {
    private static final long serialVersionUID = 1L;

    public DataException(String message) {
        super(message);
    }

    public DataException(String message, Throwable cause) {
        super(message, cause);
    }
}
