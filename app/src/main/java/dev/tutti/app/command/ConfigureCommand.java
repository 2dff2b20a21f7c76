package dev.tutti.app.command;

import dev.tutti.DidYouMean;
import dev.tutti.TuttiException;
import dev.tutti.app.Console;
import dev.tutti.app.ExitCode;
import dev.tutti.app.UsageException;
import dev.tutti.cluster.coordinator.RefusedException;
import dev.tutti.cluster.rpc.CoordinatorClient;
import dev.tutti.comm.Configuration;
import dev.tutti.train.RuntimeSettings;
import dev.tutti.train.job.JobFile;
import dev.tutti.train.job.ReadyJob;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Changes the settings of a job under way. */
@Command(
        name = "configure",
        sortOptions = false,
        description = {
            "Changes settings of a job while it runs: all its members follow them from the same step on.",
            "Training follows learningRate, parameter servers staleness, and placed tasks tasks: those that are worked on;"
                    + " other settings are for callbacks of your own."
        },
        footer = {
            "",
            "./tutti configure runs/digits learningRate=0.0005   sets it",
            "./tutti configure runs/digits learningRate=         gives it back to the job",
            "./tutti configure runs/digits tasks=digit,odd       works on these tasks; the others rest",
            "./tutti configure runs/digits --job more-tasks.yaml  goes on with other tasks from the next epoch on",
            "./tutti configure runs/digits                       shows what was set"
        })
public final class ConfigureCommand extends TuttiCommand {
    @Mixin
    private RunningJob job;

    @Parameters(paramLabel = "KEY=VALUE", index = "1..*", description = "What to set.")
    private List<String> settings = List.of();

    @Option(
            names = "--job",
            paramLabel = "FILE",
            description =
                    "A job with more tasks, or fewer, that a run of ./tutti train goes on with from its next epoch"
                            + " on: what has the same name is kept, new heads begin anew.")
    private Path next;

    /** @param value null to take the setting away */
    private record Setting(String key, String value) {}

    public ConfigureCommand(Console console) {
        super(console);
    }

    @Override
    protected ExitCode run() {
        List<Setting> checked = checked();
        if (next != null) {
            return change(checked);
        }
        try (CoordinatorClient coordinator = job.open()) {
            Configuration now = coordinator.configuration();
            for (Setting setting : checked) {
                now = coordinator.configure(setting.key(), setting.value());
            }
            people().println(
                            now.values().isEmpty()
                                    ? "Nothing is set: the job runs as it was written."
                                    : "Set: " + new TreeMap<>(now.values()));
            answer(now);
            return ExitCode.FINE;
        } catch (RefusedException e) {
            throw new UsageException(e.getMessage());
        }
    }

    private ExitCode change(List<Setting> checked) {
        if (!checked.isEmpty()) {
            throw new UsageException("--job and settings do not go together: expected one of them, received --job "
                    + next + " and " + settings);
        }
        ReadyJob.requestChange(job.folder(), JobFile.read(next));
        people().println("The run in " + job.folder() + " goes on with " + next + " from its next epoch on.");
        answer(Map.of("job", next.toString(), "run", job.folder().toString()));
        return ExitCode.FINE;
    }

    /** All of them before any is changed. */
    private List<Setting> checked() {
        List<Setting> all = new ArrayList<>();
        for (String text : settings) {
            int equals = text.indexOf('=');
            if (equals < 1) {
                throw new UsageException("expected KEY=VALUE, such as learningRate=0.001, received '" + text + "'");
            }
            String value = text.substring(equals + 1);
            Setting setting = new Setting(text.substring(0, equals), value.isEmpty() ? null : value);
            requireNoSlip(setting.key());
            try {
                RuntimeSettings.check(setting.key(), setting.value());
            } catch (TuttiException e) {
                throw new UsageException(e.getMessage());
            }
            all.add(setting);
        }
        return all;
    }

    /** A name of training's own that is misspelt would be taken for one of a callback's, and change nothing. */
    private static void requireNoSlip(String key) {
        List<String> known = List.of(RuntimeSettings.LEARNING_RATE, "staleness", "tasks");
        if (!known.contains(key) && DidYouMean.nearest(key, known).isPresent()) {
            throw new UsageException("unknown setting '" + key + "'" + DidYouMean.hint(key, known)
                    + " Settings of your own need names that are less alike.");
        }
    }
}
