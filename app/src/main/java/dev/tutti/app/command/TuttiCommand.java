package dev.tutti.app.command;

import dev.tutti.app.Console;
import dev.tutti.app.ExitCode;
import dev.tutti.app.NextCommand;
import dev.tutti.json.Json;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * What all commands share: people read {@link #people()}; with {@code --json} a program gets one object on standard output and
 * people read standard error.
 */
public abstract class TuttiCommand implements Callable<Integer> {
    @Option(
            names = "--json",
            order = 100,
            description = "Print one JSON object on standard output, all else on standard error.")
    private boolean json;

    @Option(names = "--verbose", order = 101, description = "Print a stack trace when something fails.")
    private boolean verbose;

    @SuppressWarnings("unused") // picocli looks at it, and shows the help by itself
    @Option(
            names = {"-h", "--help"},
            order = 102,
            usageHelp = true,
            description = "Show this help and end.")
    private boolean help;

    @Spec
    private CommandSpec spec;

    private final Console console;

    protected TuttiCommand(Console console) {
        this.console = console;
    }

    /** Does the work. */
    protected abstract ExitCode run();

    @Override
    public final Integer call() {
        return run().number();
    }

    protected final Console console() {
        return console;
    }

    protected final boolean json() {
        return json;
    }

    public final boolean verbose() {
        return verbose;
    }

    /** Where to print for people. */
    protected final PrintStream people() {
        return json ? console.err() : console.out();
    }

    /** Whether people look at a terminal. */
    protected final boolean terminal() {
        return json ? console.errTerminal() : console.outTerminal();
    }

    /** The answer for programs, printed only if they asked for it. */
    protected final void answer(Object answer) {
        if (json) {
            console.out().println(Json.write(answer));
        }
    }

    /** A number of things, in words: {@code 1 epoch}, {@code 2 epochs}. */
    protected static String counted(long count, String thing) {
        return count + " " + thing + (count == 1 ? "" : "s");
    }

    /** All arguments as they were given, the command's name first. */
    protected final List<String> arguments() {
        return spec.root().commandLine().getParseResult().originalArgs();
    }

    /** The command as it was called, and more arguments: to show how to go on. */
    protected final String calledWith(String... more) {
        List<String> args = arguments();
        List<String> all = new ArrayList<>(args);
        all.addAll(args.containsAll(List.of(more)) ? List.of() : List.of(more));
        return NextCommand.of(all);
    }
}
