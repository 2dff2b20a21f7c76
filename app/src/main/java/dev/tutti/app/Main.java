package dev.tutti.app;

import dev.tutti.DidYouMean;
import dev.tutti.app.command.ConfigureCommand;
import dev.tutti.app.command.CoordinatorCommand;
import dev.tutti.app.command.EvaluateCommand;
import dev.tutti.app.command.ExampleCommand;
import dev.tutti.app.command.ExportCommand;
import dev.tutti.app.command.InitCommand;
import dev.tutti.app.command.ParityCommand;
import dev.tutti.app.command.PeekCommand;
import dev.tutti.app.command.PredictCommand;
import dev.tutti.app.command.RouteCommand;
import dev.tutti.app.command.RunCommand;
import dev.tutti.app.command.ServeCommand;
import dev.tutti.app.command.StatusCommand;
import dev.tutti.app.command.SummaryCommand;
import dev.tutti.app.command.TrainCommand;
import dev.tutti.app.command.TuttiCommand;
import dev.tutti.app.command.UpCommand;
import dev.tutti.app.command.federated.FederateCommand;
import dev.tutti.app.command.measure.BenchCommand;
import dev.tutti.app.command.measure.SoakCommand;
import dev.tutti.app.command.parallel.PlanCommand;
import dev.tutti.app.command.parallel.SimulateNodesCommand;
import dev.tutti.app.command.ps.ServerCommand;
import dev.tutti.app.command.ps.WorkerCommand;
import dev.tutti.app.command.quantize.QuantizeCommand;
import dev.tutti.app.command.spark.SparkCommand;
import dev.tutti.app.command.transfer.ImportCommand;
import dev.tutti.app.command.tune.TuneCommand;
import dev.tutti.host.HostTuning;
import dev.tutti.json.Json;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The {@code tutti} command: finds the subcommand, runs it, and says in one way what went wrong. */
@Command(
        name = "tutti",
        description = "Trains neural networks on the JVM.",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class)
public final class Main implements Runnable {
    @Spec
    private CommandSpec spec;

    private Main() {}

    public static void main(String[] args) {
        System.setProperty("java.awt.headless", "true");
        HostTuning.apply();
        Console console = Console.ofProcess();
        int code = run(console, args);
        console.out().flush();
        boolean drivesSparkCluster = "cluster".equals(System.getProperty("spark.submit.deployMode"));
        if (code != 0 || !drivesSparkCluster) { // YARN takes a driver that exits by itself for one that failed
            System.exit(code);
        }
    }

    /** Runs a command line with these streams and gives its exit code. */
    static int run(Console console, String... args) {
        useDatasetsOfTutti();
        CommandLine commandLine = commandLine(console);
        try {
            return commandLine.execute(args);
        } catch (Error e) {
            return failed(e, Arrays.asList(args).contains("--verbose"), args, console);
        }
    }

    static CommandLine commandLine(Console console) {
        CommandLine commandLine = new CommandLine(new Main());
        for (TuttiCommand command : List.of(
                new TrainCommand(console),
                new TuneCommand(console),
                new PeekCommand(console),
                new InitCommand(console),
                new ParityCommand(console),
                new EvaluateCommand(console),
                new PredictCommand(console),
                new ServeCommand(console),
                new RouteCommand(console),
                new UpCommand(console),
                new SummaryCommand(console),
                new PlanCommand(console),
                new SimulateNodesCommand(console),
                new ExportCommand(console),
                new ImportCommand(console),
                new QuantizeCommand(console),
                new RunCommand(console),
                new StatusCommand(console),
                new ConfigureCommand(console),
                new CoordinatorCommand(console),
                new ServerCommand(console),
                new WorkerCommand(console),
                new SparkCommand(console),
                new BenchCommand(console),
                new SoakCommand(console),
                new ExampleCommand(console))) {
            commandLine.addSubcommand(command);
        }
        commandLine.addSubcommand("federate", FederateCommand.with(console));
        List<String> footer = new ArrayList<>(List.of("", "Exit codes:"));
        footer.addAll(List.of(ExitCode.explained()));
        footer.addAll(List.of("", "For work on Tutti itself: tutti test, tutti install, tutti format, tutti clean."));
        commandLine.getCommandSpec().usageMessage().footer(footer.toArray(String[]::new));
        if (System.getProperty("picocli.ansi") == null) {
            commandLine.setColorScheme(Help.defaultColorScheme(console.colour() ? Help.Ansi.ON : Help.Ansi.OFF));
        }
        return commandLine
                .setOut(new PrintWriter(console.out(), true, StandardCharsets.UTF_8))
                .setErr(new PrintWriter(console.err(), true, StandardCharsets.UTF_8))
                .setUsageHelpAutoWidth(true)
                .setParameterExceptionHandler((e, args) -> wrongUsage(e, args, console))
                .setExecutionExceptionHandler((e, failing, parsed) -> {
                    TuttiCommand command = failing.getCommand();
                    return failed(e, command.verbose(), parsed.originalArgs().toArray(String[]::new), console);
                });
    }

    /** Datasets that come with Tutti are found from any folder, unless the user said where they are. */
    private static void useDatasetsOfTutti() {
        String home = System.getProperty("tutti.home");
        if (home == null || System.getProperty("tutti.datasets") != null || System.getenv("TUTTI_DATASETS") != null) {
            return;
        }
        Path datasets = Path.of(home, "datasets");
        if (Files.isDirectory(datasets)) {
            System.setProperty("tutti.datasets", datasets.toString());
        }
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Which command? See the list below.");
    }

    private static int wrongUsage(ParameterException e, String[] args, Console console) {
        CommandLine commandLine = e.getCommandLine();
        boolean bare = args.length == 0;
        say(bare ? e.getMessage() : problem(e), ExitCode.USAGE, args, console);
        if (bare) {
            console.err().println();
            commandLine.usage(console.err(), commandLine.getColorScheme());
        } else {
            String name = commandLine.getCommandSpec().qualifiedName();
            console.err().println("See ./" + name + " --help.");
        }
        return ExitCode.USAGE.number();
    }

    private static String problem(ParameterException e) {
        CommandSpec command = e.getCommandLine().getCommandSpec();
        if (!(e instanceof UnmatchedArgumentException unmatched)) {
            return e.getMessage();
        }
        String word = unmatched.getUnmatched().get(0);
        if (word.startsWith("-")) {
            List<String> options =
                    command.options().stream().map(OptionSpec::longestName).toList();
            return "unknown option '" + word + "'" + DidYouMean.hint(word.replaceFirst("=.*", ""), options);
        }
        return command.subcommands().isEmpty()
                ? "'" + word + "' is one argument too many"
                : "unknown command '" + word + "'"
                        + DidYouMean.hint(word, command.subcommands().keySet());
    }

    private static int failed(Throwable e, boolean verbose, String[] args, Console console) {
        FailureMessage failure = FailureMessage.of(e);
        say(failure.message(), failure.code(), args, console);
        if (verbose) {
            console.err().print(FailureMessage.trace(e));
        }
        return failure.code().number();
    }

    private static void say(String message, ExitCode code, String[] args, Console console) {
        console.err().println(message);
        if (Arrays.asList(args).contains("--json")) {
            Map<String, Object> answer = new LinkedHashMap<>();
            answer.put("error", message);
            answer.put("exitCode", code.number());
            console.out().println(Json.write(answer));
        }
    }

    /** The version that the build wrote into the jar. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = Main.class.getPackage().getImplementationVersion();
            return new String[] {"tutti " + Objects.requireNonNullElse(version, "(not built as a jar)")};
        }
    }
}
