package dev.tutti.cluster.rpc;

import dev.tutti.cluster.coordinator.MembershipRules;
import dev.tutti.json.ConfigException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Objects;

/**
 * How a coordinator is run.
 *
 * @param rules what the job asks of its members
 * @param host the address it listens on: this machine alone unless told otherwise
 * @param port 0 takes any that is free
 * @param token what every call has to carry
 * @param folder where its journal is, or null for none: then it does not survive its process
 * @param tls the certificate it shows, or null
 * @param plainToOthers whether it may be open to other machines without TLS, in a network that is trusted
 */
public record ServerSettings(
        MembershipRules rules, String host, int port, String token, Path folder, TlsFiles tls, boolean plainToOthers) {
    public ServerSettings {
        Objects.requireNonNull(rules, "rules");
        Objects.requireNonNull(host, "host");
        Objects.requireNonNull(token, "token");
        if (token.length() < 16 || !token.chars().allMatch(c -> c > ' ' && c < 127)) {
            throw new ConfigException("the token: expected at least 16 plain characters without spaces, received "
                    + token.length() + "; ServerSettings.newToken() makes one");
        }
        if (tls != null && tls.certificate() == null) {
            throw new ConfigException("a coordinator with TLS needs a certificate and its key");
        }
    }

    /** On this machine alone, any free port, a new token, no journal. */
    public static ServerSettings of(MembershipRules rules) {
        return new ServerSettings(rules, "127.0.0.1", 0, newToken(), null, null, false);
    }

    /** A token that cannot be guessed. */
    public static String newToken() {
        byte[] bytes = new byte[24];
        new SecureRandom().nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    public ServerSettings listen(String onHost, int onPort) {
        return new ServerSettings(rules, onHost, onPort, token, folder, tls, plainToOthers);
    }

    public ServerSettings token(String secret) {
        return new ServerSettings(rules, host, port, secret, folder, tls, plainToOthers);
    }

    public ServerSettings folder(Path journal) {
        return new ServerSettings(rules, host, port, token, journal, tls, plainToOthers);
    }

    public ServerSettings tls(TlsFiles files) {
        return new ServerSettings(rules, host, port, token, folder, files, plainToOthers);
    }

    /** Opens it to other machines without TLS; a process on the way can read all calls, the token too. */
    public ServerSettings plainToOthers(boolean allowed) {
        return new ServerSettings(rules, host, port, token, folder, tls, allowed);
    }

    InetSocketAddress address() {
        InetAddress where;
        try {
            where = InetAddress.getByName(host);
        } catch (UnknownHostException e) {
            throw new ConfigException("the coordinator cannot listen on '" + host + "': there is no such host", e);
        }
        if (!where.isLoopbackAddress() && tls == null && !plainToOthers) {
            throw new ConfigException("the coordinator would be open to other machines on " + host
                    + " without TLS: give it a certificate and key, or choose plainToOthers in a network you trust");
        }
        return new InetSocketAddress(where, port);
    }

    /** The token is a secret: it is not shown. */
    @Override
    public String toString() {
        return host + ":" + port + " " + rules;
    }
}
