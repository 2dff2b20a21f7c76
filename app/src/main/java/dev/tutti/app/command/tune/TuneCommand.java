package dev.tutti.app.command.tune;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import dev.tutti.FileKind;
import dev.tutti.app.Console;
import dev.tutti.app.ExitCode;
import dev.tutti.app.NextCommand;
import dev.tutti.app.TextTable;
import dev.tutti.app.command.Interruption;
import dev.tutti.app.command.TuttiCommand;
import dev.tutti.io.FileException;
import dev.tutti.json.ConfigException;
import dev.tutti.json.Json;
import dev.tutti.tune.SearchSpace;
import dev.tutti.tune.TrialEvent;
import dev.tutti.tune.TuneSettings;
import dev.tutti.tune.run.TuneResult;
import dev.tutti.tune.run.Tuning;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Searches for good settings of a job. */
@Command(
        name = "tune",
        sortOptions = false,
        description =
                "Searches for good settings of a job: its open places, such as learningRate: {log: [1e-4, 1e-1]}.",
        footer = {
            "",
            "Ctrl-C lets trials under way wait with a checkpoint; --resume goes on, also after the whole was killed.",
            "How to write a search space: docs/tuning.md."
        })
public final class TuneCommand extends TuttiCommand {
    @Parameters(paramLabel = "JOB", description = "A job file with open places.")
    private Path file;

    @Option(names = "--trials", paramLabel = "N", description = "How many points to try; 12 by default.")
    private Integer trials;

    @Option(names = "--search", paramLabel = "NAME", description = "How points are chosen: tpe (default) or random.")
    private String search;

    @Option(
            names = "--scheduler",
            paramLabel = "NAME",
            description = "Which trials go on: asha (default), hyperband, pbt or none.")
    private String scheduler;

    @Option(
            names = "--metric",
            paramLabel = "NAME",
            description = "What is compared; the job's first metric by default.")
    private String metric;

    @Option(
            names = "--places",
            paramLabel = "N",
            description = "Trials at the same time; one for each core by default.")
    private Integer places;

    @Option(names = "--seed", paramLabel = "N", description = "What the choice of points follows from.")
    private Long seed;

    @Option(names = "--output", paramLabel = "FOLDER", description = "Where the results go; runs/NAME by default.")
    private Path output;

    @Option(names = "--resume", description = "Go on with the search in the output folder.")
    private boolean resume;

    @Option(names = "--on-threads", description = "Run trials on threads of this JVM instead of processes.")
    private boolean onThreads;

    public TuneCommand(Console console) {
        super(console);
    }

    @Override
    protected ExitCode run() {
        SearchSpace space = SearchSpace.of(text(), file.toString());
        TuneSettings settings = settings(space);
        String name = file.getFileName().toString().replaceFirst("\\.(yaml|yml|json)$", "");
        Path folder = output == null ? Path.of("runs").resolve(name) : output;
        Tuning tuning =
                onThreads ? Tuning.onThreads(space, settings, name, folder) : Tuning.of(space, settings, name, folder);
        people().printf(
                        Locale.ROOT,
                        "%s: %s over %s, %s and %s, %s at a time, compared by %s%n",
                        name,
                        counted(settings.trials(), "trial"),
                        String.join(
                                ", ",
                                space.dimensions().stream().map(space::label).toList()),
                        settings.search().name().toLowerCase(Locale.ROOT),
                        settings.scheduler().name().toLowerCase(Locale.ROOT),
                        settings.places(),
                        tuning.metric());
        try (Interruption interruption = Interruption.listen(
                () -> people().println("Stopping after this epoch of each trial ... (Ctrl-C again ends at once)"))) {
            TuneResult result = tuning.run(resume, interruption, event -> show(space, tuning.metric(), event));
            show(result, tuning);
            return result.complete() ? ExitCode.FINE : ExitCode.INTERRUPTED;
        }
    }

    private String text() {
        try {
            return Files.readString(FileKind.require(file));
        } catch (NoSuchFileException e) {
            throw new ConfigException(file + ": there is no such file", e);
        } catch (IOException e) {
            throw new FileException(file.toString(), "cannot be read: " + e.getMessage(), e);
        }
    }

    private TuneSettings settings(SearchSpace space) {
        TuneSettings settings = space.settings();
        settings = trials == null ? settings : settings.trials(trials);
        settings = search == null ? settings : settings.search(search);
        settings = scheduler == null ? settings : settings.scheduler(scheduler);
        settings = metric == null ? settings : settings.metric(metric);
        settings = places == null ? settings : settings.places(places);
        return seed == null ? settings : settings.seed(seed);
    }

    private void show(SearchSpace space, String compared, TrialEvent event) {
        String line = switch (event.what()) {
            case MADE -> {
                List<String> values = new ArrayList<>();
                space.dimensions()
                        .forEach(each -> values.add(
                                space.label(each) + " " + text(event.values().get(each.path()))));
                yield "begins with " + String.join(", ", values);
            }
            case MEASURED -> String.format(Locale.ROOT, "epoch %d: %s %.4f", event.epoch(), compared, event.value());
            case PAUSED -> "is stopped early";
            case EXCHANGED -> event.source() == null ? null : "goes on from trial " + event.source();
            case LOST -> "has lost its process and is tried again";
            case FAILED -> "has failed: " + event.reason();
            case FINISHED -> "is done";
            case BEGUN, INTERRUPTED -> null;
        };
        if (line != null) {
            people().println("  trial " + event.trial() + " " + line);
        }
    }

    private static String text(JsonNode value) {
        return value.isFloatingPointNumber()
                ? String.format(Locale.ROOT, "%.3g", value.doubleValue())
                : value.isTextual() ? value.textValue() : value.toString();
    }

    private void show(TuneResult result, Tuning tuning) {
        if (!result.trials().isEmpty()) {
            List<String> heads = new ArrayList<>(List.of("trial"));
            heads.addAll(result.trials().get(0).values().keySet());
            heads.addAll(List.of(result.metric(), "epochs", "state"));
            TextTable table = new TextTable(heads);
            for (TuneResult.Row row : result.trials()) {
                List<String> cells = new ArrayList<>(List.of(Integer.toString(row.trial())));
                row.values().values().forEach(value -> cells.add(text(value)));
                cells.add(row.value() == null ? "-" : String.format(Locale.ROOT, "%.4f", row.value()));
                cells.addAll(List.of(Integer.toString(row.epochs()), row.state()));
                table.add(cells);
            }
            people().println();
            people().print(table);
        }
        people().printf(
                        Locale.ROOT,
                        "%n%s and %s in %.1f s; the picture is %s.%n",
                        counted(result.trials().size(), "trial"),
                        counted(result.epochs(), "epoch"),
                        result.seconds(),
                        result.picture());
        Map<String, Object> answer =
                Json.json().convertValue(result, new TypeReference<LinkedHashMap<String, Object>>() {});
        if (result.model().isPresent()) {
            String model = result.model().get();
            people().println("The best is trial " + result.best().orElseThrow().trial() + "; its model is in " + model
                    + ", its job in " + tuning.folder().bestJob() + ":");
            people().println("  " + NextCommand.of("evaluate", model));
            answer.put("job", tuning.folder().bestJob().toString());
        } else if (!result.complete()) {
            people().println("Stopped. To go on:");
            people().println("  " + calledWith("--resume"));
        }
        answer(answer);
    }
}
