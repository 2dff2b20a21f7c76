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
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.checkpoint.SavedModel;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

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
    private Trainer weighted;
    private String trainedOn = "";
    private int epochsDone;

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

    /** The same model with a loss that multiplies the loss of each row by its weight, which is its second label. */
    private Trainer weighted(Dataset data) {
        if (weighted == null) {
            TrainingConfig config = compiled().config();
            weighted = Trainer.of(
                            compiled().build(data),
                            config.optimizer(),
                            config.loss().weighted())
                    .metrics(config.metrics().toArray(Metric[]::new));
        }
        return weighted;
    }

    /** Trains on arrays whose first axis are the rows. */
    public History fit(NdArray x, NdArray y, FitOptions options) {
        if (options.sampleWeight().isPresent()) {
            return fitRows(weightedRows(x, y, options.sampleWeight().get()), options);
        }
        return fitRows(Dataset.of(x, y), options);
    }

    private static Dataset weightedRows(NdArray x, NdArray y, NdArray weights) {
        if (!weights.type().isFloating()
                || weights.size() != y.shape().dim(0)
                || weights.shape().dim(0) != weights.size()) {
            throw new KerasException("sampleWeight: expected one floating number for each of the "
                    + y.shape().dim(0) + " rows, received " + weights.type() + " of shape " + weights.shape());
        }
        return Dataset.of(List.of(x), List.of(y, weights.reshape(weights.size())));
    }

    /** Trains on a dataset; its own batch size counts, if it has one. */
    public History fit(Dataset data, FitOptions options) {
        if (options.sampleWeight().isPresent()) {
            throw new KerasException(
                    "sampleWeight goes with arrays: expected fit(x, y, options); a dataset has the weight"
                            + " as a second label, for a loss that is weighted()");
        }
        return fitRows(data, options);
    }

    private History fitRows(Dataset data, FitOptions options) {
        boolean weighs =
                options.sampleWeight().isPresent() || !options.classWeight().isEmpty();
        Dataset train = data;
        Fit fit = Fit.epochs(options.epochs())
                .callbacks(options.callbacks().toArray(Callback[]::new))
                .on(options.cluster())
                .with(options.strategy());
        if (options.validationData().isPresent()) {
            Dataset measured = options.validationData().get();
            fit = fit.validate(weighs ? measured.map(RowWeights.of(Map.of())) : measured);
        } else if (options.validationSplit() > 0) {
            var split = data.split(1 - options.validationSplit());
            train = split.first();
            fit = fit.validate(weighs ? split.second().map(RowWeights.of(Map.of())) : split.second());
        }
        train = options.classWeight().isEmpty() ? train : train.map(RowWeights.of(options.classWeight()));
        train = options.shuffle() ? train.shuffle(ORDER_SEED) : train;
        train = train.batchSize().isPresent() ? train : train.batch(options.batchSize());
        Trainer learner = weighs ? weighted(train) : compiled();
        History history = learner.fit(train, fit);
        trainedOn = train.toString();
        epochsDone = history.epochs().size();
        return history;
    }

    public Evaluation evaluate(NdArray x, NdArray y) {
        return evaluate(Dataset.of(x, y));
    }

    /** The same with a weight for each row in the loss; metrics count every row alike. */
    public Evaluation evaluate(NdArray x, NdArray y, NdArray sampleWeight) {
        Dataset rows = weightedRows(x, y, sampleWeight);
        return weighted(rows).evaluate(rows);
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
        SavedModel.write(
                folder,
                compiled().model(),
                new SavedModel.Features(List.of(), List.of()),
                null,
                SavedModel.Made.now(trainedOn, epochsDone, compiled().config()));
    }

    @Override
    public void close() {
        if (trainer != null) {
            trainer.close();
        }
    }
}
