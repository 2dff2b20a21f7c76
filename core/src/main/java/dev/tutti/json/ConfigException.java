package dev.tutti.json;

import dev.tutti.TuttiException;

/** A definition or job file that cannot be used; the message begins with file, line and column where they are known. */
public class ConfigException extends TuttiException {
    private static final long serialVersionUID = 1L;

    public ConfigException(String message) {
        super(message);
    }

    public ConfigException(String message, Throwable cause) {
        super(message, cause);
    }
}
