package dev.tutti.app;

import dev.tutti.cluster.CoordinatorMain;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Runs the coordinator of a job as a process of its own. */
@Command(
        name = "coordinator",
        sortOptions = false,
        description = {
            "Runs the coordinator of a job whose members are started by hand, until it is ended.",
            "Its folder holds the token, the address and a journal; started again with it, it goes on where it was."
        },
        footer = {"", "It listens on this machine alone unless --host says otherwise. See docs/cluster.md."})
final class CoordinatorCommand extends TuttiCommand {
    @Option(names = "--folder", required = true, paramLabel = "FOLDER", description = "Where its state is kept.")
    private Path folder;

    @Option(names = "--expected", required = true, paramLabel = "COUNT", description = "How many workers to wait for.")
    private String expected;

    @Option(
            names = "--min",
            paramLabel = "COUNT",
            description = "The least number of workers that go on; 1 by default.")
    private String min;

    @Option(names = "--max", paramLabel = "COUNT", description = "The most that are let in; as expected by default.")
    private String max;

    @Option(names = "--host", paramLabel = "ADDRESS", description = "Where it listens; 127.0.0.1 by default.")
    private String host;

    @Option(names = "--port", paramLabel = "PORT", description = "Any that is free by default.")
    private String port;

    @Option(
            names = "--eject-slower-than",
            paramLabel = "FACTOR",
            description = "Send workers away that take so many times as long as the others.")
    private String ejectSlowerThan;

    @Option(names = "--certificate", paramLabel = "FILE", description = "PEM file it shows; needs --key.")
    private String certificate;

    @Option(names = "--key", paramLabel = "FILE", description = "The private key of the certificate.")
    private String key;

    @Option(names = "--trust", paramLabel = "FILE", description = "Certificates that members must show one of.")
    private String trust;

    @Option(
            names = "--plain-to-others",
            description = "Be open to other machines without TLS, in a network that is trusted.")
    private boolean plainToOthers;

    CoordinatorCommand(Console console) {
        super(console);
    }

    @Override
    ExitCode run() {
        List<String> arguments = new ArrayList<>(List.of("--folder", folder.toString(), "--expected", expected));
        add(arguments, "--min", min);
        add(arguments, "--max", max);
        add(arguments, "--host", host);
        add(arguments, "--port", port);
        add(arguments, "--eject-slower-than", ejectSlowerThan);
        add(arguments, "--certificate", certificate);
        add(arguments, "--key", key);
        add(arguments, "--trust", trust);
        if (plainToOthers) {
            arguments.add("--plain-to-others");
        }
        people().println("The coordinator of " + folder
                + " is starting; its address and token are in that folder. Ctrl-C ends it.");
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        int code = CoordinatorMain.run(arguments, console().in(), new PrintStream(said, true, StandardCharsets.UTF_8));
        if (code != 0) {
            throw new UsageException(said.toString(StandardCharsets.UTF_8).strip());
        }
        return ExitCode.FINE;
    }

    private static void add(List<String> arguments, String name, String value) {
        if (value != null) {
            arguments.addAll(List.of(name, value));
        }
    }
}
