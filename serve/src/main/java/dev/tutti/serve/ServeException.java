package dev.tutti.serve;

import dev.tutti.TuttiException;

/**
 * A request that cannot be answered, and why: each protocol renders it in its own words.
 *
 * <p>The message is one for the client: what was expected, what was received, where.
 */
public final class ServeException extends TuttiException {
    private static final long serialVersionUID = 1L;

    /** Kinds of refusals, with the status codes they have over HTTP and gRPC. */
    public enum Reason {
        INVALID(400, 3),
        UNAUTHENTICATED(401, 16),
        FORBIDDEN(403, 7),
        NOT_FOUND(404, 5),
        CONFLICT(409, 9),
        TOO_LARGE(413, 8),
        OVERLOADED(429, 8),
        DEADLINE(504, 4),
        UNAVAILABLE(503, 14),
        DEFECT(500, 13);

        private final int http;
        private final int grpc;

        Reason(int http, int grpc) {
            this.http = http;
            this.grpc = grpc;
        }

        public int http() {
            return http;
        }

        public int grpc() {
            return grpc;
        }
    }

    private final Reason reason;
    private final double retrySeconds;

    public ServeException(Reason reason, String message) {
        this(reason, message, 0, null);
    }

    public ServeException(Reason reason, String message, Throwable cause) {
        this(reason, message, 0, cause);
    }

    private ServeException(Reason reason, String message, double retrySeconds, Throwable cause) {
        super(message, cause);
        this.reason = reason;
        this.retrySeconds = retrySeconds;
    }

    public static ServeException invalid(String message) {
        return new ServeException(Reason.INVALID, message);
    }

    /** Refuses work that would wait too long; the client may come back after that many seconds. */
    public static ServeException overloaded(String message, double retrySeconds) {
        return new ServeException(Reason.OVERLOADED, message, retrySeconds, null);
    }

    public Reason reason() {
        return reason;
    }

    /** When to try again, in seconds; 0 where that would not help. */
    public double retrySeconds() {
        return retrySeconds;
    }
}
