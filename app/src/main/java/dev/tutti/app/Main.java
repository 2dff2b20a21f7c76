package dev.tutti.app;

import java.util.List;
import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The {@code tutti} command: finds the subcommand and runs it. */
@Command(
        name = "tutti",
        description = "Trains and serves neural networks on the JVM.",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        footer = {"", "For work on Tutti itself: tutti test, tutti format, tutti clean."})
public final class Main implements Runnable {
    /** Every subcommand there is, in the order of the help text. */
    private static final List<Class<?>> SUBCOMMANDS = List.of();

    @Spec
    private CommandSpec spec;

    private Main() {}

    public static void main(String[] args) {
        System.exit(commandLine().execute(args));
    }

    static CommandLine commandLine() {
        CommandLine commandLine = new CommandLine(new Main());
        SUBCOMMANDS.forEach(commandLine::addSubcommand);
        return commandLine;
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Which command? See the list below.");
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
