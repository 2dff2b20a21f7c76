package dev.tutti.cluster.rpc;

import dev.tutti.io.FileException;
import dev.tutti.json.ConfigException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/**
 * Files, in PEM format, that make connections secret and say who is who.
 *
 * @param certificate what this side shows of itself; null for a member that the coordinator does not ask
 * @param key the private key of it, or null
 * @param trust certificates that this side trusts. A coordinator that has it refuses members that cannot show one of
 *     them; null leaves it at the token
 */
public record TlsFiles(Path certificate, Path key, Path trust) {
    public TlsFiles {
        if ((certificate == null) != (key == null)) {
            throw new ConfigException("a certificate and its key go together: expected both or neither, received only "
                    + (key == null ? certificate : key));
        }
        for (Path file : new Path[] {certificate, key, trust}) {
            if (file != null && !Files.isReadable(file)) {
                throw new FileException(file.toString(), "there is no such file, or it cannot be read");
            }
        }
    }

    /** What a coordinator shows. */
    public static TlsFiles of(Path certificate, Path key) {
        return new TlsFiles(Objects.requireNonNull(certificate), Objects.requireNonNull(key), null);
    }

    /** Whom a member believes. */
    public static TlsFiles trusting(Path trust) {
        return new TlsFiles(null, null, Objects.requireNonNull(trust));
    }
}
