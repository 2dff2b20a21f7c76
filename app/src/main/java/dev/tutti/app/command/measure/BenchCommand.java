package dev.tutti.app.command.measure;

import dev.tutti.DidYouMean;
import dev.tutti.app.Console;
import dev.tutti.app.ExitCode;
import dev.tutti.app.UsageException;
import dev.tutti.app.command.TuttiCommand;
import dev.tutti.bench.Bench;
import dev.tutti.bench.BenchOptions;
import dev.tutti.bench.BenchmarkReport;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Measures Tutti beside its peers. */
@Command(
        name = "bench",
        sortOptions = false,
        description =
                "Measures Tutti beside PyTorch and TensorFlow on the same work; without a name it lists what there is.",
        footer = {"", "The first run installs the peers outside the project, several GB. Results go to bench/results."})
public final class BenchCommand extends TuttiCommand {
    @Parameters(arity = "0..1", paramLabel = "NAME", description = "Which benchmark.")
    private String name;

    @Option(names = "--quick", description = "Fewer and shorter rounds: a first impression.")
    private boolean quick;

    @Option(
            names = "--only",
            paramLabel = "TEXT",
            defaultValue = "",
            description = "Only what has this in its name; results are then not written.")
    private String only;

    public BenchCommand(Console console) {
        super(console);
    }

    @Override
    protected ExitCode run() {
        if (name == null) {
            people().println("Benchmarks: " + String.join(", ", Bench.names()));
            answer(Map.of("benchmarks", Bench.names()));
            return ExitCode.FINE;
        }
        if (!Bench.names().contains(name)) {
            throw new UsageException("there is no benchmark '" + name + "'" + DidYouMean.hint(name, Bench.names()));
        }
        BenchOptions here = BenchOptions.here(quick);
        BenchmarkReport report = Bench.run(name, new BenchOptions(quick, here.project(), only), people());
        answer(report.value());
        return report.failures().isEmpty() ? ExitCode.FINE : ExitCode.FAULT;
    }
}
