package dev.tutti.serve.http;

import dev.tutti.TuttiException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Where a server listens, and its limits.
 *
 * @param host loopback by default; any other address needs API keys
 * @param port 0 for a free one
 * @param certificate a PEM file, with {@code key}: the server speaks TLS
 * @param maxBodyBytes bytes of one request; 64 MB by default
 * @param maxConnections at once; 20,000 by default
 * @param requestTimeout for a request to arrive and be answered; 60 s by default
 * @param idleTimeout after which a connection without a request is closed; 2 minutes by default
 */
public record HttpSettings(
        String host,
        int port,
        Optional<Path> certificate,
        Optional<Path> key,
        ApiKeys keys,
        long maxBodyBytes,
        int maxConnections,
        Duration requestTimeout,
        Duration idleTimeout) {
    public static final String LOOPBACK = "127.0.0.1";
    public static final Duration IDLE = Duration.ofMinutes(2);

    public HttpSettings {
        if (port < 0 || port > 65_535) {
            throw new TuttiException("a port is a number from 0 to 65535: received " + port);
        }
        if (certificate.isPresent() != key.isPresent()) {
            throw new TuttiException("TLS needs a certificate and its key: received one of them only");
        }
        if (!isLoopback(host) && !keys.areThere()) {
            throw new TuttiException("the service would be open to others on " + host
                    + " without API keys: give it keys, or let it listen on " + LOOPBACK + " only");
        }
    }

    /** Loopback, without keys and TLS. */
    public static HttpSettings local(int port) {
        return new HttpSettings(
                LOOPBACK,
                port,
                Optional.empty(),
                Optional.empty(),
                ApiKeys.none(),
                64L << 20,
                20_000,
                Duration.ofSeconds(60),
                IDLE);
    }

    public HttpSettings keys(ApiKeys newKeys) {
        return new HttpSettings(
                host, port, certificate, key, newKeys, maxBodyBytes, maxConnections, requestTimeout, idleTimeout);
    }

    public HttpSettings host(String newHost) {
        return new HttpSettings(
                newHost, port, certificate, key, keys, maxBodyBytes, maxConnections, requestTimeout, idleTimeout);
    }

    public HttpSettings tls(Path newCertificate, Path newKey) {
        return new HttpSettings(
                host,
                port,
                Optional.of(newCertificate),
                Optional.of(newKey),
                keys,
                maxBodyBytes,
                maxConnections,
                requestTimeout,
                idleTimeout);
    }

    public HttpSettings maxBodyBytes(long bytes) {
        return new HttpSettings(host, port, certificate, key, keys, bytes, maxConnections, requestTimeout, idleTimeout);
    }

    public HttpSettings requestTimeout(Duration limit) {
        return new HttpSettings(host, port, certificate, key, keys, maxBodyBytes, maxConnections, limit, idleTimeout);
    }

    public HttpSettings idleTimeout(Duration limit) {
        return new HttpSettings(
                host, port, certificate, key, keys, maxBodyBytes, maxConnections, requestTimeout, limit);
    }

    public boolean isLocal() {
        return isLoopback(host);
    }

    private static boolean isLoopback(String host) {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            throw new TuttiException("--host " + host + ": there is no such address on this machine");
        }
    }
}
