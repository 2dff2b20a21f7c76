package dev.tutti.cluster.rpc;

import dev.tutti.TuttiException;

/** The coordinator could not be reached, or did not let this program in. The message says where and for how long. */
public final class CoordinatorLostException extends TuttiException {
    private static final long serialVersionUID = 1;

    public CoordinatorLostException(String message, Throwable cause) {
        super(message, cause);
    }
}
