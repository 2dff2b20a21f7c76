package dev.tutti.app.command.ps;

import dev.tutti.app.Console;
import dev.tutti.app.ExitCode;
import dev.tutti.app.command.TuttiCommand;
import dev.tutti.cluster.ClusterSpec;
import dev.tutti.cluster.Server;
import dev.tutti.cluster.launch.HandledSignal;
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
            "On Ctrl-C, or kill, it gives its parameters to the other servers first.",
            "See docs/strategies/parameter-server.md."
        })
public final class ServerCommand extends TuttiCommand {
    @Mixin
    private SpecOptions options;

    private volatile boolean left;

    public ServerCommand(Console console) {
        super(console);
    }

    @Override
    protected ExitCode run() {
        ClusterSpec spec = options.of("server");
        try (Server server = new Server(spec);
                HandledSignal term = HandledSignal.take("TERM", () -> leave(server));
                HandledSignal interrupt = HandledSignal.take("INT", () -> leave(server))) {
            people().println(spec.task().type() + " " + spec.task().index() + " joins "
                    + spec.coordinator().host() + ":" + spec.coordinator().port());
            server.join();
        }
        people().println(left ? "This server has left the others." : "The training is over.");
        answer(Map.of("role", spec.task().type(), "index", spec.task().index(), "left", left));
        return ExitCode.FINE;
    }

    /** The first time gently; the second time, or where nothing is held for others, at once. */
    private void leave(Server server) {
        boolean again = left;
        left = true;
        if (again || !server.leave()) {
            Runtime.getRuntime().halt(ExitCode.INTERRUPTED.number());
        }
        people().println("This server gives what it holds to the others; once more to end it at once.");
    }
}
