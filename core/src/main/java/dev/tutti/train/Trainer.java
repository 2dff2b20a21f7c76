package dev.tutti.train;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.comm.Team;
import dev.tutti.data.Dataset;
import dev.tutti.data.SampleSpec;
import dev.tutti.data.transform.Transform;
import dev.tutti.loss.Loss;
import dev.tutti.metric.Metric;
import dev.tutti.nn.Input;
import dev.tutti.nn.Layer;
import dev.tutti.nn.Model;
import dev.tutti.optim.Optimizer;
import dev.tutti.tensor.Device;
import dev.tutti.tensor.Engine;
import dev.tutti.train.checkpoint.SavedModel;
import dev.tutti.train.profile.Timing;
import dev.tutti.train.replica.Replica;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/**
 * Trains, evaluates and asks a model; {@link Predictor} asks one that learns no more.
 *
 * <pre>{@code
 * var trainer = Trainer.of(model, adam(1e-3), softmaxCrossEntropy()).metrics(accuracy());
 * History history = trainer.fit(Mnist.train().shuffle(7).batch(128), epochs(3).validate(Mnist.test()));
 * trainer.save(Path.of("digits"));
 * }</pre>
 *
 * <p>The model is built when data is first seen. Settings are made before that. A trainer belongs to one thread at a time.
 */
public final class Trainer implements AutoCloseable {
    private final Layer definition;
    private final Optimizer optimizer;
    private final Loss loss;
    private List<Metric> metrics = List.of();
    private List<Transform> features = List.of();
    private List<String> classes = List.of();
    private double movingAverage;
    private long seed;
    private int threads = Engine.cores();
    private Device device = Device.CPU;
    private Model model;
    private boolean given;
    private String trainedOn = "";
    private int epochsDone;

    private Trainer(Layer definition, Optimizer optimizer, Loss loss) {
        this.definition = Objects.requireNonNull(definition, "a trainer needs a model");
        this.optimizer = Objects.requireNonNull(optimizer, "a trainer needs an optimizer");
        this.loss = Objects.requireNonNull(loss, "a trainer needs a loss");
    }

    public static Trainer of(Layer definition, Optimizer optimizer, Loss loss) {
        return new Trainer(definition, optimizer, loss);
    }

    /** A trainer for a model that was built already, for instance loaded from a folder to learn on. */
    public static Trainer of(Model model, Optimizer optimizer, Loss loss) {
        Trainer trainer = new Trainer(model.definition(), optimizer, loss);
        trainer.model = model;
        trainer.given = true;
        trainer.device = model.options().device();
        return trainer;
    }

    public Trainer metrics(Metric... choice) {
        metrics = List.of(choice);
        return this;
    }

    /** What is done to raw features before they reach the model; kept with the saved model and applied when it predicts. */
    public Trainer features(Transform... transforms) {
        features = List.of(transforms);
        return this;
    }

    /** The names of the classes, for predictions meant for people. */
    public Trainer classes(List<String> names) {
        classes = List.copyOf(names);
        return this;
    }

    /** Evaluates and saves the moving average of the weights instead of the last ones; 0.999 looks back about 1000 steps. */
    public Trainer movingAverage(double decay) {
        movingAverage = decay;
        return this;
    }

    /** What the first parameters, dropout and the like follow from. */
    public Trainer seed(long value) {
        if (!given) {
            requireUnbuilt("seed");
        }
        seed = value;
        return this;
    }

    /** Cores that one step may use; all of them by default. */
    public Trainer threads(int count) {
        threads = count;
        return this;
    }

    public Trainer device(Device choice) {
        requireUnbuilt("device");
        device = choice;
        return this;
    }

    private void requireUnbuilt(String setting) {
        if (model != null) {
            throw new IllegalStateException(setting + " must be set before the model is built");
        }
    }

    /** Trains on all of the data, again and again. */
    public History fit(Dataset data, Fit fit) {
        fit.workplace().workers().ifPresent(fit.strategy()::validateFor);
        Engine.useThreads(threads);
        Dataset ready = prepared(data);
        Fit prepared = fit.validation() == null ? fit : fit.validate(prepared(fit.validation()));
        build(ready);
        trainedOn = data.toString();
        Timing timing = new Timing();
        WorkerTask work = new WorkerTask(
                definition, recipe(), ready, prepared.validation(), fit.epochs(), fit.accumulate(), fit.strategy());
        try (Team team = fit.workplace().assemble(work)) {
            History history = train(team, timing, ready, prepared);
            epochsDone = history.epochs().size();
            return history;
        }
    }

    private History train(Team team, Timing timing, Dataset data, Fit fit) {
        try (Replica replica = fit.strategy().replica(model, recipe(), team, timing)) {
            TrainingLoop loop = new TrainingLoop(replica, team, timing, recipe(), data, fit, this::save);
            if (fit.resumeFrom() != null) {
                loop.resume(fit.resumeFrom());
            }
            History history = loop.run(team.meet(loop.progress()));
            if (history.ending() != History.Ending.INTERRUPTED) {
                team.done();
            }
            return history;
        } catch (RuntimeException | Error e) {
            team.failed(e);
            throw e;
        }
    }

    /** Loss and metrics on some data. */
    public Evaluation evaluate(Dataset data) {
        return predictor(data).evaluate(data, loss, metrics.toArray(Metric[]::new));
    }

    /** The outputs for a batch of features; of a model with one input and one output. */
    public NdArray predict(NdArray batch) {
        return predict(Dataset.of(batch));
    }

    /** The outputs for all of the data, one row for each. */
    public NdArray predict(Dataset data) {
        return predictor(data).predict(data);
    }

    private Predictor predictor(Dataset data) {
        Engine.useThreads(threads);
        return Predictor.of(build(prepared(data))).features(features).threads(threads);
    }

    private Dataset prepared(Dataset data) {
        Dataset ready = data;
        for (Transform transform : features) {
            ready = ready.map(transform);
        }
        return ready;
    }

    /** The model; built by the first fit, evaluate or predict, or by {@link #build}. */
    public Model model() {
        if (model == null) {
            throw new IllegalStateException("the model is built when it first sees data: call fit or build before");
        }
        return model;
    }

    /** Builds the model for data of this kind, unless it is built already. */
    public Model build(Dataset data) {
        if (model == null) {
            List<Input> inputs = inputs(data.spec());
            model = Model.of(definition, Model.Options.DEFAULT.seed(seed).device(device), inputs);
        }
        return model;
    }

    private static List<Input> inputs(SampleSpec spec) {
        return spec.features().stream()
                .map(feature -> new Input(
                        feature.shape(),
                        feature.type() == DType.INT64 || feature.type() == DType.INT32 ? DType.INT64 : DType.FLOAT32))
                .toList();
    }

    TrainingConfig recipe() {
        return new TrainingConfig(optimizer, loss, metrics, movingAverage, seed);
    }

    /** Saves the model as a folder; see {@link SavedModel}. */
    public void save(Path folder) {
        save(folder, null);
    }

    /** Saves the model and how good it is. */
    public void save(Path folder, Evaluation evaluation) {
        SavedModel.write(folder, model(), new SavedModel.Features(features, classes), evaluation, made());
    }

    private SavedModel.Made made() {
        return SavedModel.Made.now(trainedOn, epochsDone, recipe());
    }

    @Override
    public void close() {
        if (model != null) {
            model.close();
        }
    }
}
