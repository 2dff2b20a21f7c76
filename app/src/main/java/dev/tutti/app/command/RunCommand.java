package dev.tutti.app.command;

import dev.tutti.app.Console;
import dev.tutti.app.ExitCode;
import dev.tutti.app.UsageException;
import dev.tutti.cluster.coordinator.MembershipRules;
import dev.tutti.cluster.launch.ProgramOutcome;
import dev.tutti.cluster.launch.UserProgram;
import dev.tutti.train.job.RunFolder;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs a program of the user's several times side by side. */
@Command(
        name = "run",
        sortOptions = false,
        description = {
            "Runs a program of your own several times side by side; Tutti.init() in it finds the others.",
            "What the processes write comes out here, prefixed with their names. They end when this command ends."
        },
        footer = {"", "Example: ./tutti run -n 4 -cp my.jar -- com.example.Train --epochs 3"})
public final class RunCommand extends TuttiCommand {
    @Option(names = "-n", paramLabel = "COUNT", defaultValue = "2", description = "How many processes; 2 by default.")
    private int count;

    @Option(
            names = {"-cp", "--class-path"},
            paramLabel = "PATH",
            description = "Jars and folders with your classes, separated as Java does.")
    private String classPath;

    @Option(
            names = "--min",
            paramLabel = "COUNT",
            description = "Go on with so many when others are lost; all of them by default.")
    private Integer min;

    @Option(
            names = "--restarts",
            paramLabel = "COUNT",
            defaultValue = "0",
            description = "How many lost processes are started again in all; 0 by default.")
    private int restarts;

    @Mixin
    private WaitOptions waits;

    @Option(
            names = "--folder",
            paramLabel = "FOLDER",
            description = "Let ./tutti status and configure find it there while it runs.")
    private Path folder;

    @Parameters(paramLabel = "MAIN", index = "0", description = "The class with the main method.")
    private String mainClass;

    @Parameters(paramLabel = "ARGUMENT", index = "1..*", description = "What it is given.")
    private List<String> arguments = List.of();

    public RunCommand(Console console) {
        super(console);
    }

    @Override
    protected ExitCode run() {
        UserProgram program = new UserProgram(
                mainClass,
                arguments,
                classes(),
                rules(),
                restarts,
                folder == null ? null : new RunFolder(folder).coordinator());
        ProgramOutcome outcome = program.run(line -> people().println(line));
        int code = outcome.exitCode();
        answer(Map.of("processes", count, "exitCode", code));
        if (code != 0) {
            people().println(outcome.firstToFail().orElse("A process ended with exit code " + code) + ".");
        }
        return code == 0 ? ExitCode.FINE : ExitCode.LOST;
    }

    private MembershipRules rules() {
        int least = min == null ? count : min;
        if (count < 1) {
            throw new UsageException("-n: expected at least 1 process, received " + count);
        }
        if (least < 1 || least > count) {
            throw new UsageException("--min: expected from 1 to " + count + " processes, received " + least);
        }
        return waits.inDriver(MembershipRules.of(count).between(least, count));
    }

    private List<Path> classes() {
        if (classPath == null) {
            return List.of();
        }
        List<Path> paths =
                Arrays.stream(classPath.split(File.pathSeparator)).map(Path::of).toList();
        for (Path path : paths) {
            if (!Files.exists(path)) {
                throw new UsageException("-cp: there is no " + path);
            }
        }
        return paths;
    }
}
