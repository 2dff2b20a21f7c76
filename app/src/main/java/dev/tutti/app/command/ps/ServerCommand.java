package dev.tutti.app.command.ps;

import dev.tutti.app.Console;
import dev.tutti.app.ExitCode;
import dev.tutti.app.command.TuttiCommand;
import dev.tutti.cluster.ClusterSpec;
import dev.tutti.cluster.Server;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Runs a parameter server of a cluster whose processes are started by hand. */
@Command(
        name = "server",
        sortOptions = false,
        description =
                "Runs a parameter server of a cluster whose processes are started by hand, until training is over.",
        footer = {
            "",
            "Example: ./tutti server --spec cluster.json --index 0",
            "See docs/strategies/parameter-server.md."
        })
public final class ServerCommand extends TuttiCommand {
    @Mixin
    private SpecOptions options;

    public ServerCommand(Console console) {
        super(console);
    }

    @Override
    protected ExitCode run() {
        ClusterSpec spec = options.of("server");
        try (Server server = new Server(spec)) {
            people().println(spec.task().type() + " " + spec.task().index() + " joins "
                    + spec.coordinator().host() + ":" + spec.coordinator().port());
            server.join();
        }
        people().println("The training is over.");
        answer(Map.of("role", spec.task().type(), "index", spec.task().index()));
        return ExitCode.FINE;
    }
}
