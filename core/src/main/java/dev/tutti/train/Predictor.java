package dev.tutti.train;

import dev.tutti.array.NdArray;
import dev.tutti.data.BatchReader;
import dev.tutti.data.Dataset;
import dev.tutti.data.transform.Transform;
import dev.tutti.loss.Loss;
import dev.tutti.metric.Metric;
import dev.tutti.nn.Model;
import dev.tutti.tensor.Engine;
import dev.tutti.train.checkpoint.SavedModel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Asks a model: predictions for arrays and datasets, and how good they are. It learns nothing, so a model that it loads carries no
 * gradients.
 *
 * <pre>{@code
 * try (Predictor digits = Predictor.load(Path.of("runs/digits/model"))) {
 *     NdArray scores = digits.predict(images);
 * }
 * }</pre>
 *
 * <p>A predictor belongs to one thread at a time. Closing it closes a model that it loaded, and leaves one that it was given open.
 */
public final class Predictor implements AutoCloseable {
    private final Model model;
    private final boolean loaded;
    private List<Transform> preprocessing = List.of();
    private List<String> classes = List.of();
    private int cores = Engine.cores();

    private Predictor(Model model, boolean loaded) {
        this.model = model;
        this.loaded = loaded;
    }

    /** Asks a model that stays the caller's. */
    public static Predictor of(Model model) {
        return new Predictor(model, false);
    }

    /** Asks a saved model that stays the caller's, with its transforms of features. */
    public static Predictor of(SavedModel saved) {
        return of(saved, false);
    }

    private static Predictor of(SavedModel saved, boolean loaded) {
        Predictor predictor = new Predictor(saved.model(), loaded);
        predictor.preprocessing = saved.features().transforms();
        predictor.classes = saved.features().classes();
        return predictor;
    }

    /**
     * Loads a saved model, without gradients.
     *
     * @param folder a saved model
     * @throws dev.tutti.io.FileException if the folder holds none, or it is damaged
     */
    public static Predictor load(Path folder) {
        return load(folder, Model.Options.DEFAULT);
    }

    /** Loads a saved model, without gradients, for instance onto another device. */
    public static Predictor load(Path folder, Model.Options options) {
        return of(SavedModel.load(folder, options.forInference()), true);
    }

    /** What is done to raw features before they reach the model, instead of what was saved with it. */
    public Predictor preprocessing(List<Transform> transforms) {
        preprocessing = List.copyOf(transforms);
        return this;
    }

    /** Cores that predictions may use; all of them by default. Several batches are computed side by side, one on each core. */
    public Predictor cores(int count) {
        cores = count;
        return this;
    }

    public Model model() {
        return model;
    }

    /** The names of the classes; empty where there are none. */
    public List<String> classes() {
        return classes;
    }

    /** The outputs for a batch of features; of a model with one input. Its first output, where it has several. */
    public NdArray predict(NdArray batch) {
        return predict(Dataset.of(batch));
    }

    /** The outputs for all of the data, one row for each. The first output of a model that has several. */
    public NdArray predict(Dataset data) {
        List<NdArray> parts = new ArrayList<>();
        predict(data, parts::add);
        return RowJoiner.concatenate(parts);
    }

    /** The outputs batch by batch, in the order of the data: for more rows than memory holds. */
    public void predict(Dataset data, Consumer<NdArray> consumer) {
        if (ParallelPredictions.suit(model, cores)) {
            try (BatchReader reader = Evaluator.prepared(prepared(data)).open(0)) {
                ParallelPredictions.run(model, cores, reader, consumer);
            }
            return;
        }
        Engine.useThreads(cores);
        Evaluator.forEach(
                model,
                prepared(data),
                (batch, outputs) -> consumer.accept(outputs.get(0).toArray()));
    }

    /** Loss and metrics on some data. */
    public Evaluation evaluate(Dataset data, Loss loss, Metric... metrics) {
        Engine.useThreads(cores);
        return Evaluator.evaluate(model, loss, List.of(metrics), prepared(data)).value();
    }

    private Dataset prepared(Dataset data) {
        Dataset ready = data;
        for (Transform transform : preprocessing) {
            ready = ready.map(transform);
        }
        return ready;
    }

    @Override
    public void close() {
        if (loaded) {
            model.close();
        }
    }
}
