package dev.tutti.federated.server;

import dev.tutti.TuttiException;
import dev.tutti.cluster.rpc.TlsFiles;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;

/**
 * Where a federated server listens, who may take part, and its limits.
 *
 * @param host loopback by default; any other address needs an enrolment token or certificates of clients
 * @param port 0 for a free one
 * @param token what clients show when they enrol; empty on loopback alone
 * @param tls certificate and key of the server; with {@code trust}, clients must show a certificate, which is their identity
 * @param maxClients clients that may enrol; 100,000 by default
 * @param perSecond calls of one client in a second; 50 by default
 */
public record ListenSettings(
        String host, int port, Optional<String> token, Optional<TlsFiles> tls, int maxClients, double perSecond) {
    public static final String LOOPBACK = "127.0.0.1";

    public ListenSettings {
        if (port < 0 || port > 65_535) {
            throw new TuttiException("a port is a number from 0 to 65535: received " + port);
        }
        boolean knowsClients =
                token.isPresent() || tls.map(files -> files.trust() != null).orElse(false);
        if (!isLoopback(host) && !knowsClients) {
            throw new TuttiException("the server would be open to others on " + host
                    + ": give it an enrolment token or certificates of clients, or let it listen on " + LOOPBACK);
        }
    }

    /** Loopback, without token and TLS. */
    public static ListenSettings local(int port) {
        return new ListenSettings(LOOPBACK, port, Optional.empty(), Optional.empty(), 100_000, 50);
    }

    public ListenSettings host(String address) {
        return new ListenSettings(address, port, token, tls, maxClients, perSecond);
    }

    public ListenSettings token(String enrolment) {
        return new ListenSettings(host, port, Optional.of(enrolment), tls, maxClients, perSecond);
    }

    public ListenSettings tls(TlsFiles files) {
        return new ListenSettings(host, port, token, Optional.of(files), maxClients, perSecond);
    }

    public ListenSettings limits(int clients, double callsPerSecond) {
        return new ListenSettings(host, port, token, tls, clients, callsPerSecond);
    }

    /** Whether clients are known by their certificates. */
    public boolean knowsCertificates() {
        return tls.map(files -> files.trust() != null).orElse(false);
    }

    private static boolean isLoopback(String host) {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            throw new TuttiException("there is no address '" + host + "' on this machine", e);
        }
    }
}
