package dev.tutti.app.command;

import dev.tutti.app.Console;
import dev.tutti.app.ExitCode;
import dev.tutti.app.UsageException;
import dev.tutti.train.job.JobFile;
import dev.tutti.train.job.Parity;
import dev.tutti.train.job.ParityResult;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Says whether a job under its strategy learns the same as on one worker. */
@Command(
        name = "parity",
        sortOptions = false,
        description = "Trains a job as its cluster and strategy say and once more on one worker with the whole batch,"
                + " and says whether the two agree, and how closely. Nothing is saved.",
        footer = {
            "",
            "Exit code 0: they agree; 8: they differ by more than the tolerance, and by more than rounding explains."
        })
public final class ParityCommand extends TuttiCommand {
    @Parameters(paramLabel = "JOB", description = "A job file, or mnist.")
    private String name;

    @Option(
            names = "--steps",
            paramLabel = "N",
            defaultValue = "100",
            description = "Updates to compare; 100 by default.")
    private long steps;

    @Option(
            names = "--tolerance",
            paramLabel = "X",
            defaultValue = "1e-4",
            description = "The largest relative difference that counts as agreement; 1e-4 by default.")
    private double tolerance;

    @Mixin
    private JobOptions options;

    public ParityCommand(Console console) {
        super(console);
    }

    @Override
    protected ExitCode run() {
        if (steps < 1) {
            throw new UsageException("--steps " + steps + ": expected 1 or more");
        }
        if (!(tolerance >= 0)) {
            throw new UsageException("--tolerance " + tolerance + ": expected 0 or more");
        }
        JobFile file = options.in(JobArgument.find(name));
        options.requireTrust(file);
        try (Interruption interruption = Interruption.listen(() -> people().println("Stopping after this step ..."))) {
            people().printf(
                            Locale.ROOT,
                            "%s: %s on %s beside one worker with the whole batch, %d steps%n",
                            file.job().name(),
                            file.job().strategy(),
                            file.job().cluster(),
                            steps);
            Optional<ParityResult> found = Parity.check(file, steps, tolerance, interruption);
            if (found.isEmpty()) {
                people().println("Stopped before there was anything to compare.");
                answer(Map.of("ending", "interrupted"));
                return ExitCode.INTERRUPTED;
            }
            ParityResult result = found.get();
            show(result);
            answer(result);
            return result.agrees() ? ExitCode.FINE : ExitCode.DIFFERS;
        }
    }

    private void show(ParityResult result) {
        show("parameters", result.parameters());
        show("losses", result.losses());
        if (result.rounding() != null) {
            show("rounding", result.rounding());
        }
        result.notes().forEach(note -> people().println("note: " + note));
        people().printf(
                        Locale.ROOT,
                        "%s after %d steps, %,d samples: the largest relative difference is %.1e, the tolerance %.1e%n",
                        result.agrees() ? "agrees" : "differs",
                        result.steps(),
                        result.samples(),
                        Math.max(result.parameters().relative(), result.losses().relative()),
                        result.tolerance());
    }

    private void show(String what, ParityResult.Difference difference) {
        people().printf(
                        Locale.ROOT,
                        "%-10s  largest difference %.1e, relative %.1e%s%n",
                        what,
                        difference.absolute(),
                        difference.relative(),
                        difference.where().isEmpty() ? "" : " (" + difference.where() + ")");
    }
}
