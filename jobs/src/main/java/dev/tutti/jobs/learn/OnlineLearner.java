package dev.tutti.jobs.learn;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tutti.TuttiException;
import dev.tutti.array.NdArray;
import dev.tutti.data.Dataset;
import dev.tutti.io.FileException;
import dev.tutti.jobs.JobRecord;
import dev.tutti.jobs.JobState;
import dev.tutti.jobs.Watcher;
import dev.tutti.jobs.queue.JobService;
import dev.tutti.jobs.queue.JobSubmission;
import dev.tutti.jobs.queue.ModelPublisher;
import dev.tutti.json.Json;
import dev.tutti.metric.Metric;
import dev.tutti.nn.Model;
import dev.tutti.serve.ServeException;
import dev.tutti.serve.model.ModelRegistry;
import dev.tutti.serve.model.ModelVersion;
import dev.tutti.source.column.Columns;
import dev.tutti.source.column.RowEncoder;
import dev.tutti.train.Evaluation;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.checkpoint.SavedModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets served models learn from examples. When enough new ones have come, a job learns on from the version that answers; its model is
 * published if it is better on the examples that were held out. Answers that come later judge it again, and if it is worse than the
 * version before, that one answers again.
 *
 * <p>All state is on disk: a service that was killed goes on with the rounds it finds. Order of calls: {@link #start}, then
 * {@link #add} from any thread, {@link #close}.
 */
public final class OnlineLearner implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OnlineLearner.class);
    private static final Duration LOOK = Duration.ofMillis(500);
    private static final String USER = "learning";

    /** A loss that rises by less is taken for chance. */
    private static final double TOLERANCE = 1.02;

    /** Learning on takes smaller steps than learning anew. */
    private static final double RATE_SHARE = 0.3;

    private static final int EPOCHS = 3;
    private static final int BATCH = 32;

    private final Path folder;
    private final Path repository;
    private final JobService jobs;
    private final ModelRegistry registry;
    private final ModelPublisher publisher;
    private final LearningSettings settings;
    private Watcher watcher;

    /**
     * @param folder where examples are kept
     * @param repository where the versions of the models are
     */
    public OnlineLearner(
            Path folder,
            Path repository,
            JobService jobs,
            ModelRegistry registry,
            ModelPublisher publisher,
            LearningSettings settings) {
        this.folder = folder;
        this.repository = repository;
        this.jobs = jobs;
        this.registry = registry;
        this.publisher = publisher;
        this.settings = settings;
    }

    /** Looks after the models that have examples, from now on. */
    public void start() {
        watcher = Watcher.start("online learning", LOOK, this::look);
    }

    /** Keeps examples for a model: raw rows as predictions take them, and their labels. */
    public synchronized void add(String model, List<NdArray> rows, NdArray labels) {
        examples(model).add(rows, labels);
    }

    /** Keeps rows of a table for a model, each with its label under the name of the label's column. */
    public synchronized void addRows(String model, List<Map<String, Object>> rows) {
        examples(model).addRows(rows);
    }

    /** What a version of a model makes of rows with named columns; empty for a model that takes arrays. */
    public Optional<RowEncoder> rowEncoder(String model, long version) {
        return SavedModel.features(version(model, version)).transforms().stream()
                .filter(Columns.class::isInstance)
                .map(columns -> ((Columns) columns).rowEncoder())
                .findFirst();
    }

    /** How the learning of a model goes. */
    public synchronized LearningReport report(String model) {
        ModelExamples examples = examples(model);
        ExampleStore store = examples.store();
        return new LearningReport(model, store.count(), store.heldOutCount(), examples.state());
    }

    private ModelExamples examples(String model) {
        return new ModelExamples(folder.resolve(registry.model(model).name()), settings.heldOutEvery());
    }

    synchronized void look() {
        if (!Files.isDirectory(folder)) {
            return;
        }
        List<String> names;
        try (Stream<Path> folders = Files.list(folder)) {
            names = folders.map(path -> path.getFileName().toString()).sorted().toList();
        } catch (IOException e) {
            throw new FileException(folder.toString(), "cannot be read: " + e.getMessage());
        }
        for (String name : names) {
            if (registry.models().stream().anyMatch(model -> model.name().equals(name))) {
                look(name, examples(name));
            }
        }
    }

    private void look(String name, ModelExamples examples) {
        LearningState state = examples.state();
        ExampleStore store = examples.store();
        if (state.job() != null) {
            finish(name, examples, state);
        } else if (state.published() > 0 && store.heldOutCount() >= state.judged() + settings.judgingExamples()) {
            judge(name, examples, state);
        } else if (store.count() >= state.learned() + settings.roundExamples()
                && store.heldOutCount() >= settings.judgingExamples()) {
            begin(name, examples, state);
        }
    }

    // ---- a round

    private void begin(String name, ModelExamples examples, LearningState state) {
        Optional<ModelVersion> current = registry.model(name).preferred();
        if (current.isEmpty()) {
            return;
        }
        long base = current.get().number();
        long count = examples.store().count();
        Path round = examples.folder().resolve("round");
        try {
            Files.createDirectories(round);
        } catch (IOException e) {
            throw new FileException(round.toString(), "cannot be made: " + e.getMessage());
        }
        ObjectNode source = examples.store().source(Math.max(0, count - settings.window()), count, round);
        ObjectNode job = job(name, version(name, base), source);
        if (settings.distillation() > 0) {
            job.putObject("distill")
                    .put("from", version(name, base).toAbsolutePath().toString())
                    .put("share", settings.distillation());
        }
        JobRecord submitted =
                jobs.submit(new JobSubmission(job, "learn-" + name, 0, settings.cores(), null, null, null), USER);
        examples.write(state.begun(count, submitted.id(), base));
    }

    private static ObjectNode job(String name, Path base, ObjectNode source) {
        TrainingConfig recipe;
        try (SavedModel saved = SavedModel.load(base, Model.Options.DEFAULT.forInference())) {
            recipe = saved.made().recipe();
        }
        ObjectNode job = Json.json().createObjectNode();
        job.put("name", "learn-" + name);
        job.put("model", base.toAbsolutePath().toString());
        job.putObject("data").putObject("train").set("source", source);
        job.set("loss", tree(recipe.loss()));
        var optimizer = tree(recipe.optimizer());
        if (optimizer instanceof ObjectNode fields && fields.has("learningRate")) {
            fields.put("learningRate", fields.get("learningRate").asDouble() * RATE_SHARE);
        }
        job.set("optimizer", optimizer);
        ArrayNode metrics = job.putArray("metrics");
        recipe.metrics().forEach(metric -> metrics.add(tree(metric)));
        job.put("batch", BATCH);
        job.put("epochs", EPOCHS);
        return job;
    }

    private static com.fasterxml.jackson.databind.JsonNode tree(Object definition) {
        return Json.read(Json.write(definition), com.fasterxml.jackson.databind.JsonNode.class, "definition");
    }

    /** The folder of a version; a model without versions has one folder for all. */
    private Path version(String name, long number) {
        Path numbered = repository.resolve(name).resolve(Long.toString(number));
        return dev.tutti.train.job.RunFolder.modelAt(Files.isDirectory(numbered) ? numbered : repository.resolve(name));
    }

    private void finish(String name, ModelExamples examples, LearningState state) {
        JobRecord job;
        try {
            job = jobs.job(state.job());
        } catch (ServeException e) {
            examples.write(state.kept("the round was deleted"));
            return;
        }
        if (job.state() == JobState.FAILED || job.state() == JobState.CANCELLED) {
            examples.write(state.kept("the round did not finish: job " + job.id() + " is " + job.state()));
            return;
        }
        if (job.state() != JobState.FINISHED) {
            return;
        }
        Path candidate = jobs.folder(job.id()).run().model();
        Dataset heldOut = examples.store().heldOut(0, settings.window());
        Evaluation before = evaluate(version(name, state.base()), heldOut);
        Evaluation after = evaluate(candidate, heldOut);
        String comparison = comparison(before, state.base(), after);
        if (!(after.loss() < before.loss())) {
            examples.write(state.kept("not published: " + comparison));
            return;
        }
        long version = publisher.publish(candidate, name);
        registry.refresh();
        registry.change(name, policy -> policy.pin(0)); // a step back may have pinned an older one
        examples.write(state.published(
                version, examples.store().heldOutCount(), "published as version " + version + ": " + comparison));
        LOG.info("model {} learned: version {} is published, {}", name, version, comparison);
    }

    // ---- judging

    private void judge(String name, ModelExamples examples, LearningState state) {
        Optional<ModelVersion> current = registry.model(name).preferred();
        if (current.isEmpty() || current.get().number() != state.published()) {
            examples.write(state.settled("version " + state.published() + " no longer answers"));
            return;
        }
        Dataset later = examples.store().heldOut(state.judged(), settings.window());
        Evaluation before = evaluate(version(name, state.base()), later);
        Evaluation after = evaluate(version(name, state.published()), later);
        String comparison = comparison(before, state.base(), after) + " on answers that came later";
        if (after.loss() > before.loss() * TOLERANCE) {
            registry.change(name, policy -> new dev.tutti.serve.model.TrafficPolicy(Map.of(), state.base()));
            examples.write(state.settled("stepped back to version " + state.base() + ": " + comparison));
            LOG.warn("model {} stepped back to version {}: {}", name, state.base(), comparison);
        } else {
            examples.write(state.settled("version " + state.published() + " stays: " + comparison));
        }
    }

    private static String comparison(Evaluation before, long version, Evaluation after) {
        StringBuilder text = new StringBuilder(
                String.format(Locale.ROOT, "loss %.4g, that of version %d %.4g", after.loss(), version, before.loss()));
        after.metrics()
                .forEach((metric, value) -> text.append(String.format(
                        Locale.ROOT,
                        "; %s %.4g, was %.4g",
                        metric,
                        value,
                        before.metrics().get(metric))));
        return text + " on " + after.samples() + " held-out answers";
    }

    private static Evaluation evaluate(Path model, Dataset data) {
        try (SavedModel saved = SavedModel.load(model, Model.Options.DEFAULT.forInference())) {
            TrainingConfig recipe = saved.made().recipe();
            return saved.predictor()
                    .cores(1)
                    .evaluate(data, recipe.loss(), recipe.metrics().toArray(Metric[]::new));
        } catch (TuttiException e) {
            throw new TuttiException("the held-out answers cannot be judged with " + model + ": " + e.getMessage(), e);
        }
    }

    /** Stops looking; a round that is under way goes on as a job. */
    @Override
    public void close() {
        if (watcher != null) {
            watcher.close();
        }
    }
}
