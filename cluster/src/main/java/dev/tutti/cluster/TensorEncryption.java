package dev.tutti.cluster;

import dev.tutti.TuttiException;
import dev.tutti.cluster.rpc.TlsFiles;
import dev.tutti.comm.message.PemFiles;
import dev.tutti.comm.network.NetworkCollectives;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether a member encrypts the tensors that it sends to other machines: where members show certificates to the coordinator they show them to
 * each other too, unless {@value NetworkCollectives#TENSORS_VARIABLE} says otherwise. The files are read once, when they are first needed.
 */
final class TensorEncryption {
    private static final Logger LOG = LoggerFactory.getLogger(TensorEncryption.class);
    private static final String PLAIN = "plain";

    private final Optional<TlsFiles> files;
    private Optional<SSLContext> context; // null before it is first needed

    /** @param files those of the connection to the coordinator */
    TensorEncryption(Optional<TlsFiles> files) {
        this.files = files;
    }

    /** What connections are encrypted with; empty where they are not. */
    synchronized Optional<SSLContext> context() {
        if (context == null) {
            context = files.flatMap(TensorEncryption::read);
        }
        return context;
    }

    private static Optional<SSLContext> read(TlsFiles files) {
        String wish = System.getenv(NetworkCollectives.TENSORS_VARIABLE);
        if (wish != null && !wish.equals(PLAIN)) {
            throw new TuttiException(NetworkCollectives.TENSORS_VARIABLE + ": expected " + PLAIN
                    + " or nothing, received '" + wish + "'");
        }
        if (wish == null && files.certificate() != null && files.trust() != null) {
            return Optional.of(new PemFiles(files.certificate(), files.key(), files.trust()).context());
        }
        LOG.warn(
                "tensors between machines are not encrypted: {}",
                wish != null
                        ? NetworkCollectives.TENSORS_VARIABLE + " is " + PLAIN
                        : "that needs a certificate of every member ('certificate', 'key' and 'trust' in its cluster"
                                + " spec)");
        return Optional.empty();
    }
}
