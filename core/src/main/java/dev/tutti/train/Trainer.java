package dev.tutti.train;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.comm.Meeting;
import dev.tutti.comm.Team;
import dev.tutti.data.Dataset;
import dev.tutti.data.SampleSpec;
import dev.tutti.data.transform.Transform;
import dev.tutti.loss.Loss;
import dev.tutti.metric.Metric;
import dev.tutti.nn.Input;
import dev.tutti.nn.Layer;
import dev.tutti.nn.Model;
import dev.tutti.nn.ModelPlan;
import dev.tutti.optim.Optimizer;
import dev.tutti.tensor.Device;
import dev.tutti.tensor.Engine;
import dev.tutti.train.checkpoint.Checkpoint;
import dev.tutti.train.checkpoint.CheckpointFolder;
import dev.tutti.train.checkpoint.SavedModel;
import dev.tutti.train.profile.Timing;
import dev.tutti.train.replica.Replica;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Trains, evaluates and asks a model.
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
        ModelPlan plan = plan(ready); // what does not fit together is said before members are started
        if (!fit.strategy().buildsParts()) {
            build(ready);
        }
        trainedOn = data.toString();
        Timing timing = new Timing();
        WorkerTask work = new WorkerTask(
                definition, recipe(), ready, prepared.validation(), fit.epochs(), fit.accumulate(), fit.strategy());
        try (Team team = fit.workplace().assemble(work)) {
            History history = train(team, timing, plan, ready, prepared);
            epochsDone = history.epochs().size();
            return history;
        }
    }

    private History train(Team team, Timing timing, ModelPlan plan, Dataset data, Fit fit) {
        try {
            Optional<Checkpoint> from =
                    Optional.ofNullable(fit.resumeFrom()).flatMap(folder -> new CheckpointFolder(folder).newest());
            return fit.strategy().buildsParts()
                    ? trainParts(team, timing, plan, data, fit, from)
                    : trainWhole(team, timing, data, fit, from);
        } catch (RuntimeException | Error e) {
            team.failed(e);
            throw e;
        }
    }

    /** The model is there before the members meet: how long it takes to build does not keep others waiting. */
    private History trainWhole(Team team, Timing timing, Dataset data, Fit fit, Optional<Checkpoint> from) {
        try (Replica replica = fit.strategy().replica(model, recipe(), team, timing)) {
            TrainingLoop loop = new TrainingLoop(replica, team, timing, recipe(), data, fit, this::save);
            from.ifPresent(loop::resume);
            return finished(team, loop.run(team.meet(loop.progress())));
        }
    }

    /** The members meet, then each builds what it holds. */
    private History trainParts(
            Team team, Timing timing, ModelPlan plan, Dataset data, Fit fit, Optional<Checkpoint> from) {
        Meeting meeting = team.meet(
                from.map(checkpoint -> checkpoint.message().furthest()).orElse(0L));
        try (Replica replica = fit.strategy().replica(plan, recipe(), team, timing)) {
            if (model != null && !given) {
                model.close();
            }
            model = replica.model();
            TrainingLoop loop = new TrainingLoop(replica, team, timing, recipe(), data, fit, this::save);
            from.ifPresent(loop::resume);
            return finished(team, loop.run(meeting));
        }
    }

    private static History finished(Team team, History history) {
        if (history.ending() != History.Ending.INTERRUPTED) {
            team.done();
        }
        return history;
    }

    /** Loss and metrics on some data. */
    public Evaluation evaluate(Dataset data) {
        Engine.useThreads(threads);
        Dataset ready = prepared(data);
        return Evaluator.evaluate(build(ready), recipe(), ready).value();
    }

    /** The outputs for a batch of features; of a model with one input and one output. */
    public NdArray predict(NdArray batch) {
        return predict(Dataset.of(batch));
    }

    /** The outputs for all of the data, one row for each. */
    public NdArray predict(Dataset data) {
        Engine.useThreads(threads);
        Dataset ready = prepared(data);
        List<NdArray> parts = new ArrayList<>();
        Evaluator.forEach(
                build(ready),
                ready,
                (batch, outputs) -> parts.add(outputs.get(0).toArray()));
        return RowJoiner.concatenate(parts);
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
            model = plan(data).build();
        }
        return model;
    }

    private ModelPlan plan(Dataset data) {
        return model != null && model.plan().isWhole()
                ? model.plan()
                : ModelPlan.of(definition, Model.Options.DEFAULT.seed(seed).device(device), inputs(data.spec()));
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
