package dev.tutti.data;

import dev.tutti.TuttiException;

/** Data that is missing, broken or asked for in a way that cannot be; the message says which file, row or stage. */
public class DataException extends TuttiException {
    private static final long serialVersionUID = 1L;

    public DataException(String message) {
        super(message);
    }

    public DataException(String message, Throwable cause) {
        super(message, cause);
    }
}
