package dev.tutti.app.command.federated;

import dev.tutti.app.UsageException;
import dev.tutti.cluster.rpc.TlsFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** How server and clients prove who they are. */
final class TlsOptions {
    @Option(names = "--token", paramLabel = "TEXT", description = "The enrolment token.")
    private String token;

    @Option(names = "--token-file", paramLabel = "FILE", description = "A file that holds the enrolment token.")
    private Path tokenFile;

    @Option(names = "--certificate", paramLabel = "FILE", description = "This side's certificate (PEM), with --key.")
    private Path certificate;

    @Option(names = "--key", paramLabel = "FILE", description = "The private key of the certificate (PKCS#8).")
    private Path key;

    @Option(
            names = "--trust",
            paramLabel = "FILE",
            description = "Certificates (PEM) of the other side, or of those who signed them.")
    private Path trust;

    Optional<String> token() {
        if (tokenFile == null) {
            return Optional.ofNullable(token);
        }
        try {
            return Optional.of(Files.readString(tokenFile).strip());
        } catch (IOException e) {
            throw new UsageException("--token-file " + tokenFile + ": cannot be read: " + e.getMessage());
        }
    }

    Optional<TlsFiles> files() {
        return certificate == null && trust == null
                ? Optional.empty()
                : Optional.of(new TlsFiles(certificate, key, trust));
    }
}
