package dev.tutti.federated.server;

import dev.tutti.TuttiException;

/** A call of a client that is refused, with the status of the answer. */
final class RefusedCallException extends TuttiException {
    private static final long serialVersionUID = 1L;

    private final int status;

    RefusedCallException(int status, String message) {
        super(message);
        this.status = status;
    }

    int status() {
        return status;
    }
}
