package dev.tutti.app.command.ps;

import dev.tutti.app.UsageException;
import dev.tutti.cluster.ClusterSpec;
import dev.tutti.io.FileException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** Which member of which cluster a process is. */
final class SpecOptions {
    @Option(
            names = "--spec",
            paramLabel = "FILE",
            description = "The cluster as JSON; by default that of TUTTI_CONFIG or TF_CONFIG.")
    private Path file;

    @Option(names = "--index", paramLabel = "N", description = "Which of its role it is; as the spec says by default.")
    private Integer index;

    /** The spec for a member of a role. */
    ClusterSpec of(String role) {
        if (file == null && !ClusterSpec.isInEnvironment()) {
            throw new UsageException("expected --spec FILE, or the cluster as JSON in the environment variable "
                    + ClusterSpec.VARIABLE + " or TF_CONFIG");
        }
        ClusterSpec spec = file == null ? ClusterSpec.fromEnvironment() : ClusterSpec.parse(text(), file.toString());
        String own = spec.task().type();
        boolean other = !own.equals(role) && role.equals("server") && !own.equals(ClusterSpec.WORKER);
        String type = other ? own : role; // an evaluator is started as servers are
        if (index == null && !own.equals(type)) {
            throw new UsageException("the spec is that of a " + own + ": expected one of a " + role + ", or --index N");
        }
        return spec.task(type, index == null ? spec.task().index() : index);
    }

    private String text() {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new FileException(file.toString(), "cannot be read: expected the cluster as JSON");
        }
    }
}
