package dev.tutti.spark.streaming;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tutti.io.AtomicFile;
import dev.tutti.io.AtomicFolder;
import dev.tutti.io.FileException;
import dev.tutti.json.Json;
import dev.tutti.spark.ml.ModelFiles;
import dev.tutti.spark.ml.TrainedStage;
import dev.tutti.spark.ml.TrainingStage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a model learning from a stream: {@code stream.writeStream().foreachBatch(learner)}. Every micro-batch that improves it, or does
 * it no harm, becomes the next version in a folder that {@code ./tutti serve} watches.
 *
 * <p>A batch that Spark delivers again is not learned twice: each version holds the number of its batch, and is written whole or not at
 * all. A batch after which the held-out quality is worse than before by more than the tolerance is stepped back from: its version is not
 * published, and the next batch goes on from the one before.
 *
 * @param <M> the model
 */
public final class StreamLearner<M extends TrainedStage<M>> implements VoidFunction2<Dataset<Row>, Long> {
    private static final long serialVersionUID = 1;
    private static final Logger LOG = LoggerFactory.getLogger(StreamLearner.class);
    private static final String NOTE = "online.json";

    private final transient TrainingStage<?, M> estimator;
    private final transient Function<Path, M> loader;
    private final transient ToDoubleFunction<M> quality;
    private final transient Path folder;
    private final double tolerance;

    /** What was done with a batch. @param version null where it was stepped back from */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Applied(long batch, double quality, Long version) {}

    /**
     * @param loader reads a model from the folder of a version, such as {@code TuttiClassificationModel::of}
     * @param quality of a model on held-out rows; higher is better
     * @param folder of the model's versions, in a repository of models
     * @param tolerance by how much the quality may fall
     */
    public StreamLearner(
            TrainingStage<?, M> estimator,
            Function<Path, M> loader,
            ToDoubleFunction<M> quality,
            Path folder,
            double tolerance) {
        this.estimator = estimator;
        this.loader = loader;
        this.quality = quality;
        this.folder = folder;
        this.tolerance = tolerance;
    }

    @Override
    public void call(Dataset<Row> batch, Long id) {
        Optional<Applied> last = last();
        if (last.isPresent() && id <= last.get().batch) {
            LOG.info("batch {} was learned from already", id);
            return;
        }
        if (batch.isEmpty()) {
            return;
        }
        OptionalLong newest = newest();
        Optional<M> before =
                newest.isPresent() ? Optional.of(loader.apply(version(newest.getAsLong()))) : Optional.empty();
        double reached = before.isPresent() ? quality.applyAsDouble(before.get()) : Double.NEGATIVE_INFINITY;
        M now = before.isPresent() ? estimator.fit(batch, before.get()) : estimator.fit(batch);
        double value = quality.applyAsDouble(now);
        if (!(value >= reached - tolerance)) {
            LOG.warn("batch {} makes the model worse, {} after {}: it is stepped back from", id, value, reached);
            note(new Applied(id, value, null));
            return;
        }
        long number = newest.orElse(0) + 1;
        publish(now.files(), new Applied(id, value, number));
    }

    private void publish(ModelFiles files, Applied applied) {
        AtomicFolder.write(version(applied.version), inside -> {
            files.write(inside);
            AtomicFile.write(inside.resolve(NOTE), Json.write(applied));
        });
        note(applied);
    }

    private void note(Applied applied) {
        AtomicFile.write(folder.resolve(NOTE), Json.write(applied));
    }

    /** The last batch that was dealt with: of the note, or of a version that was published before the note could be written. */
    private Optional<Applied> last() {
        Optional<Applied> noted = read(folder.resolve(NOTE));
        OptionalLong newest = newest();
        Optional<Applied> published =
                newest.isPresent() ? read(version(newest.getAsLong()).resolve(NOTE)) : Optional.empty();
        return Stream.of(noted, published).flatMap(Optional::stream).max((a, b) -> Long.compare(a.batch, b.batch));
    }

    private static Optional<Applied> read(Path file) {
        return Files.isRegularFile(file) ? Optional.of(Json.read(file, Applied.class)) : Optional.empty();
    }

    private Path version(long number) {
        return folder.resolve(Long.toString(number));
    }

    /** The number of the newest version. */
    private OptionalLong newest() {
        if (!Files.isDirectory(folder)) {
            return OptionalLong.empty();
        }
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.map(entry -> entry.getFileName().toString())
                    .filter(name -> name.matches("[1-9]\\d{0,17}"))
                    .mapToLong(Long::parseLong)
                    .max();
        } catch (IOException e) {
            throw new FileException(folder.toString(), "cannot be listed: " + e.getMessage(), e);
        }
    }
}
