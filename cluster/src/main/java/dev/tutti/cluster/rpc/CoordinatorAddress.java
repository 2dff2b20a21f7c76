package dev.tutti.cluster.rpc;

import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * Where a coordinator is and what opens its door.
 *
 * @param places where it may be, the likeliest first: one for a coordinator of its own, all replicas of one that is replicated.
 *     Calls go to the first that can be reached
 * @param token the secret of the job; every call carries it
 * @param tls whom to believe, or null for plain connections within one machine
 */
public record CoordinatorAddress(List<Endpoint> places, String token, TlsFiles tls) {
    /** One address. */
    public record Endpoint(String host, int port) {
        public Endpoint {
            Objects.requireNonNull(host, "host");
            if (port < 1 || port > 65_535) {
                throw new IllegalArgumentException("expected a port from 1 to 65535, received " + port);
            }
        }

        @Override
        public String toString() {
            return host + ":" + port;
        }
    }

    public CoordinatorAddress {
        places = List.copyOf(places);
        Objects.requireNonNull(token, "token");
        if (places.isEmpty()) {
            throw new IllegalArgumentException("expected at least one address of the coordinator");
        }
    }

    /** At one place. */
    public CoordinatorAddress(String host, int port, String token, TlsFiles tls) {
        this(List.of(new Endpoint(host, port)), token, tls);
    }

    /** Without TLS. */
    public CoordinatorAddress(String host, int port, String token) {
        this(host, port, token, null);
    }

    /** The host of the first place. */
    public String host() {
        return places.get(0).host();
    }

    /** The port of the first place. */
    public int port() {
        return places.get(0).port();
    }

    /** The token is a secret: it is not shown. */
    @Override
    public String toString() {
        return places.stream().map(Endpoint::toString).collect(Collectors.joining(" or "));
    }
}
