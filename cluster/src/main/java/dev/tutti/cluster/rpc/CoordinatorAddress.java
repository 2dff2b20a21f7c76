package dev.tutti.cluster.rpc;

import java.util.Objects;

/**
 * Where a coordinator is and what opens its door.
 *
 * @param token the secret of the job; every call carries it
 * @param tls whom to believe, or null for plain connections within one machine
 */
public record CoordinatorAddress(String host, int port, String token, TlsFiles tls) {
    public CoordinatorAddress {
        Objects.requireNonNull(host, "host");
        Objects.requireNonNull(token, "token");
        if (port < 1 || port > 65_535) {
            throw new IllegalArgumentException("expected a port from 1 to 65535, received " + port);
        }
    }

    /** Without TLS. */
    public CoordinatorAddress(String host, int port, String token) {
        this(host, port, token, null);
    }

    /** The token is a secret: it is not shown. */
    @Override
    public String toString() {
        return host + ":" + port;
    }
}
