package dev.tutti.app.command;

import dev.tutti.DidYouMean;
import dev.tutti.app.Console;
import dev.tutti.app.ExitCode;
import dev.tutti.app.UsageException;
import dev.tutti.examples.Examples;
import dev.tutti.io.FileException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Runs one of the example programs. */
@Command(
        name = "example",
        sortOptions = false,
        description = "Runs a program of the examples folder; without a name it lists what there is.")
public final class ExampleCommand extends TuttiCommand {
    @Parameters(paramLabel = "NAME", arity = "0..1", description = "Which one.")
    private String name;

    @Parameters(paramLabel = "ARGUMENT", index = "1..*", description = "What the example takes, such as a file.")
    private List<String> arguments = List.of();

    public ExampleCommand(Console console) {
        super(console);
    }

    @Override
    protected ExitCode run() {
        if (name == null) {
            Examples.all().keySet().forEach(people()::println);
            answer(List.copyOf(Examples.all().keySet()));
            return ExitCode.FINE;
        }
        Examples.Example example = Examples.all().get(name);
        if (example == null) {
            throw new UsageException("unknown example '" + name + "'"
                    + DidYouMean.hint(name, Examples.all().keySet()));
        }
        try {
            example.run(people(), Path.of(System.getProperty("tutti.home", "")), arguments);
        } catch (IOException e) {
            throw new FileException(e.getMessage(), "cannot be read or written");
        }
        return ExitCode.FINE;
    }
}
