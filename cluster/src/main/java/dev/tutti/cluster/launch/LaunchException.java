package dev.tutti.cluster.launch;

import dev.tutti.TuttiException;

/** Members could not be started, or ended in a way that ends the job. */
public final class LaunchException extends TuttiException {
    private static final long serialVersionUID = 1;

    public LaunchException(String message) {
        super(message);
    }

    public LaunchException(String message, Throwable cause) {
        super(message, cause);
    }
}
