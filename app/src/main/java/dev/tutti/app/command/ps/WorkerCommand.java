package dev.tutti.app.command.ps;

import dev.tutti.app.Console;
import dev.tutti.app.ExitCode;
import dev.tutti.app.command.TrainCommand;
import dev.tutti.app.command.TuttiCommand;
import dev.tutti.cluster.ClusterSpec;
import dev.tutti.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Trains as a worker of a cluster whose processes are started by hand. */
@Command(
        name = "worker",
        sortOptions = false,
        description = {
            "Trains a job as one worker of a cluster whose processes are started by hand.",
            "What follows -- are options of ./tutti train."
        },
        footer = {"", "Example: ./tutti worker mnist --spec cluster.json --index 1 -- --epochs 2"})
public final class WorkerCommand extends TuttiCommand {
    @Parameters(paramLabel = "JOB", index = "0", description = "A job file, or mnist.")
    private String job;

    @Parameters(paramLabel = "OPTION", index = "1..*", description = "Options of train, behind --.")
    private List<String> more = List.of();

    @Mixin
    private SpecOptions options;

    public WorkerCommand(Console console) {
        super(console);
    }

    @Override
    protected ExitCode run() {
        ClusterSpec spec = options.of(ClusterSpec.WORKER);
        String place = Json.write(Map.of("type", "joined", "spec", spec)).replace("\n", " ");
        List<String> arguments = new ArrayList<>(List.of(job, "--cluster", place));
        arguments.addAll(more);
        if (verbose()) {
            arguments.add("--verbose");
        }
        CommandLine train = new CommandLine(new TrainCommand(console()))
                .setExecutionExceptionHandler((e, failing, parsed) -> {
                    throw e;
                });
        TrainCommand command = train.getCommand();
        train.parseArgs(arguments.toArray(String[]::new));
        int code = command.call();
        return ExitCode.of(code);
    }
}
