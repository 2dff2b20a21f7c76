package dev.tutti.keras;

import dev.tutti.array.NdArray;
import dev.tutti.data.Dataset;
import dev.tutti.loss.Loss;
import dev.tutti.metric.Metric;
import dev.tutti.nn.Layer;
import dev.tutti.optim.Optimizer;
import dev.tutti.train.Evaluation;
import dev.tutti.train.Fit;
import dev.tutti.train.History;
import dev.tutti.train.Trainer;
import dev.tutti.train.callback.Callback;
import java.nio.file.Path;

/**
 * A model with Keras' verbs.
 *
 * <pre>{@code
 * try (var model = KerasModel.of(Sequential.of(dense(64).relu(), dense(10)))) {
 *     model.compile(adam(1e-3), softmaxCrossEntropy(), accuracy());
 *     model.fit(x, y, options().batchSize(32).epochs(5).validationSplit(0.2));
 *     model.evaluate(testX, testY);
 *     NdArray answers = model.predict(testX);
 * }
 * }</pre>
 *
 * <p>Order of calls: {@link #compile}, then the others in any order. A second fit goes on with the parameters of the first and a
 * new optimizer state. Belongs to one thread.
 */
public final class KerasModel implements AutoCloseable {
    private static final long ORDER_SEED = 0;

    private final Layer layers;
    private Trainer trainer;

    private KerasModel(Layer layers) {
        this.layers = layers;
    }

    public static KerasModel of(Layer layers) {
        return new KerasModel(layers);
    }

    /** Says how the model learns and is measured. */
    public void compile(Optimizer optimizer, Loss loss, Metric... metrics) {
        if (trainer != null) {
            throw new KerasException("the model is compiled already: make another with KerasModel.of(...)");
        }
        trainer = Trainer.of(layers, optimizer, loss).metrics(metrics);
    }

    private Trainer compiled() {
        if (trainer == null) {
            throw new KerasException("the model is not compiled: call compile(optimizer, loss, metrics...) first");
        }
        return trainer;
    }

    /** Trains on arrays whose first axis are the rows. */
    public History fit(NdArray x, NdArray y, FitOptions options) {
        return fit(Dataset.of(x, y), options);
    }

    /** Trains on a dataset; its own batch size counts, if it has one. */
    public History fit(Dataset data, FitOptions options) {
        Dataset train = data;
        Fit fit = Fit.epochs(options.epochs())
                .callbacks(options.callbacks().toArray(Callback[]::new))
                .on(options.cluster())
                .with(options.strategy());
        if (options.validationData().isPresent()) {
            fit = fit.validate(options.validationData().get());
        } else if (options.validationSplit() > 0) {
            var split = data.split(1 - options.validationSplit());
            train = split.first();
            fit = fit.validate(split.second());
        }
        train = options.shuffle() ? train.shuffle(ORDER_SEED) : train;
        train = train.batchSize().isPresent() ? train : train.batch(options.batchSize());
        return compiled().fit(train, fit);
    }

    public Evaluation evaluate(NdArray x, NdArray y) {
        return evaluate(Dataset.of(x, y));
    }

    public Evaluation evaluate(Dataset data) {
        return compiled().evaluate(data);
    }

    public NdArray predict(NdArray x) {
        return compiled().predict(x);
    }

    /** The layers, what comes out of each and how many parameters they have; after the first fit, evaluate or predict. */
    public String summary() {
        return compiled().model().summary().toString();
    }

    /** Saves the model as a folder; see {@link dev.tutti.train.checkpoint.SavedModel}. */
    public void save(Path folder) {
        compiled().save(folder);
    }

    @Override
    public void close() {
        if (trainer != null) {
            trainer.close();
        }
    }
}
