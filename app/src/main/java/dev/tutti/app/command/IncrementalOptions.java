package dev.tutti.app.command;

import dev.tutti.app.UsageException;
import dev.tutti.data.Dataset;
import dev.tutti.data.Split;
import dev.tutti.json.Json;
import dev.tutti.source.Sources;
import dev.tutti.source.column.ColumnDrift;
import dev.tutti.source.column.Columns;
import dev.tutti.source.combined.InterleaveSource;
import dev.tutti.source.combined.KeptRowsSource;
import dev.tutti.train.checkpoint.SavedModel;
import dev.tutti.train.job.JobFile;
import dev.tutti.train.job.RunFolder;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The options that let a saved model learn on from new data. */
final class IncrementalOptions {
    private static final double TRAINING_SHARE = 0.9;

    @Option(
            names = "--from",
            paramLabel = "MODEL",
            description = "Learn on with a saved model instead of beginning anew.")
    private Path from;

    @Option(
            names = "--data",
            paramLabel = "TABLE",
            description = "With --from: learn from these new rows, of which every tenth is measured by.")
    private String data;

    @Option(
            names = "--replay",
            paramLabel = "SHARE",
            defaultValue = "0",
            description = "With --data: the share of rows that are old ones, such as 0.2, so that less is forgotten.")
    private double replay;

    private List<ColumnDrift> drift = List.of();
    private Dataset old;

    /** The job with the model and the data it goes on with. */
    JobFile in(JobFile file, boolean outputSaid) {
        if (from == null) {
            if (data != null || replay != 0) {
                throw new UsageException("--data and --replay belong to --from, the model that learns on");
            }
            return file;
        }
        if (!(replay >= 0 && replay < 1)) {
            throw new UsageException("--replay " + replay + ": expected a share from 0 to less than 1, such as 0.2");
        }
        Path model = RunFolder.modelAt(from);
        String said = "--from " + from;
        JobFile changed;
        if (file.job().model() != null && file.job().model().hasBase()) {
            changed = file.set("model.base", Json.write(model.toString()), said);
        } else if (file.job().model() != null && file.job().model().isOther(model)) {
            changed = file.set("adopt", Json.write(model.toString()), said); // another model that takes over what fits
        } else {
            changed = file.set("model", Json.write(model.toString()), said);
        }
        if (!outputSaid) {
            String next = changed.job().output() + "-updated";
            changed = changed.set("output", Json.write(next), said);
        }
        return data == null ? changed : withNewRows(changed, file, model);
    }

    private JobFile withNewRows(JobFile changed, JobFile before, Path model) {
        String said = "--data " + data;
        Columns columns = columns(model);
        Split rows = Dataset.of(Sources.table(data)).shuffle(1).split(TRAINING_SHARE);
        drift = columns.drift(rows.first());
        old = before.job().data().validation().orElseGet(before.job().data()::train);
        return changed.set("preprocessing", Json.write(columns.grow(rows.first())), said)
                .set(
                        "data.train",
                        Json.write(training(rows.first(), before.job().data().train())),
                        said)
                .set("data.validation", Json.write(rows.second()), said);
    }

    private Columns columns(Path model) {
        try (SavedModel saved = SavedModel.load(model)) {
            return saved.features().transforms().stream()
                    .filter(Columns.class::isInstance)
                    .map(Columns.class::cast)
                    .findFirst()
                    .orElseThrow(
                            () -> new UsageException(
                                    from
                                            + " was not made from a table of columns: say its new data in the job file instead of --data"));
        }
    }

    /** All new rows, and so many of the old ones that they have their share, spread evenly. */
    private Dataset training(Dataset fresh, Dataset before) {
        if (replay == 0) {
            return fresh;
        }
        long count = fresh.size().orElseThrow();
        long wanted = Math.round(count * replay / (1 - replay));
        KeptRowsSource replayed = KeptRowsSource.of(before.shuffle(1).take(Math.max(1, wanted)));
        double share = replayed.size().orElseThrow();
        return Dataset.of(
                InterleaveSource.of(KeptRowsSource.of(fresh), replayed).weights(count, share));
    }

    /** How far the new rows are from those the model was made from, the furthest column first. */
    List<ColumnDrift> drift() {
        return drift;
    }

    /** The model that learns on. */
    Optional<Path> from() {
        return Optional.ofNullable(from).map(RunFolder::modelAt);
    }

    /** The data the model was measured by before, if it learns from new data now. */
    Optional<Dataset> oldData() {
        return Optional.ofNullable(old);
    }
}
