package dev.tutti.comm.message;

import java.util.Objects;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/**
 * What keeps others out.
 *
 * @param token the secret of the job: both sides of a connection prove that they know it, and never send it
 * @param tls what makes connections secret and checks certificates; every member needs a certificate of its own. Without it
 *     a process on the way can read messages
 */
public record MessageSecurity(String token, Optional<SSLContext> tls) {
    public MessageSecurity {
        Objects.requireNonNull(token, "token");
        if (token.length() < 16) {
            throw new IllegalArgumentException(
                    "expected a token of at least 16 characters, received " + token.length());
        }
    }

    /** Without TLS, for one machine or a network that is trusted. */
    public static MessageSecurity plain(String token) {
        return new MessageSecurity(token, Optional.empty());
    }

    /** The token is a secret: it is not shown. */
    @Override
    public String toString() {
        return tls.isPresent() ? "token and TLS" : "token";
    }
}
