package dev.tutti.app.command.federated;

import dev.tutti.app.Console;
import dev.tutti.app.ExitCode;
import dev.tutti.app.UsageException;
import dev.tutti.app.command.TuttiCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The group of the commands of federated learning. */
@Command(
        name = "federate",
        sortOptions = false,
        description = "Federated learning: many owners train one model, and their data stays where it is.",
        footer = {"", "Rounds, aggregation, privacy, the protocol: docs/strategies/federated.md."})
public final class FederateCommand extends TuttiCommand {
    public FederateCommand(Console console) {
        super(console);
    }

    /** The group with its commands. */
    public static CommandLine with(Console console) {
        return new CommandLine(new FederateCommand(console))
                .addSubcommand(new SimulateCommand(console))
                .addSubcommand(new FederateServeCommand(console))
                .addSubcommand(new JoinCommand(console));
    }

    @Override
    protected ExitCode run() {
        throw new UsageException("federate: expected serve, join or simulate");
    }
}
