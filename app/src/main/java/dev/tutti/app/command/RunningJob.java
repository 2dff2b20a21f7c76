package dev.tutti.app.command;

import dev.tutti.app.UsageException;
import dev.tutti.app.input.InputException;
import dev.tutti.cluster.CoordinatorFolder;
import dev.tutti.cluster.rpc.CoordinatorClient;
import dev.tutti.cluster.rpc.TlsFiles;
import dev.tutti.train.job.RunFolder;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The job under way that a command is about, found by its folder. */
final class RunningJob {
    /** People wait for the answer; a coordinator of this machine needs milliseconds. */
    private static final long PATIENCE_MILLIS = 5_000;

    @Parameters(
            paramLabel = "FOLDER",
            index = "0",
            description = "The output of a job that runs in several JVMs, or the --folder of run or coordinator.")
    private Path folder;

    @Option(names = "--trust", paramLabel = "FILE", description = "Whom to believe, where the coordinator has TLS.")
    private Path trust;

    @Option(names = "--certificate", paramLabel = "FILE", description = "What to show it, where it asks for that.")
    private Path certificate;

    @Option(names = "--key", paramLabel = "FILE", description = "The private key of the certificate.")
    private Path key;

    Path folder() {
        return folder;
    }

    /** Whether a coordinator can be asked. */
    boolean hasCoordinator() {
        return coordinator().isPresent();
    }

    private Optional<CoordinatorFolder> coordinator() {
        return Stream.of(folder, new RunFolder(folder).coordinator())
                .map(CoordinatorFolder::new)
                .filter(CoordinatorFolder::exists)
                .findFirst();
    }

    /** Speaks with its coordinator. */
    CoordinatorClient open() {
        TlsFiles tls = tls();
        CoordinatorFolder found = coordinator()
                .orElseThrow(() -> new InputException(
                        folder.toString(),
                        "no job is under way here that could be asked: expected the output folder of a training in several"
                                + " JVMs, or the --folder of ./tutti run or ./tutti coordinator"));
        return new CoordinatorClient(found.address(tls)).patience(PATIENCE_MILLIS);
    }

    private TlsFiles tls() {
        if ((certificate == null) != (key == null)) {
            throw new UsageException("--certificate and --key go together: expected both or neither, received only "
                    + (key == null ? "--certificate" : "--key"));
        }
        return trust == null && certificate == null ? null : new TlsFiles(certificate, key, trust);
    }
}
