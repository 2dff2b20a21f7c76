package dev.tutti.train;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.comm.GroupChangedException;
import dev.tutti.comm.Meeting;
import dev.tutti.comm.Team;
import dev.tutti.data.Dataset;
import dev.tutti.data.SampleSpec;
import dev.tutti.data.transform.Transform;
import dev.tutti.host.Terminal;
import dev.tutti.json.Json;
import dev.tutti.loss.Loss;
import dev.tutti.metric.Metric;
import dev.tutti.nn.ComputePrecision;
import dev.tutti.nn.Input;
import dev.tutti.nn.Layer;
import dev.tutti.nn.Model;
import dev.tutti.nn.ModelPlan;
import dev.tutti.optim.Optimizer;
import dev.tutti.tensor.Device;
import dev.tutti.tensor.Engine;
import dev.tutti.train.checkpoint.Checkpoint;
import dev.tutti.train.checkpoint.CheckpointFolder;
import dev.tutti.train.checkpoint.CheckpointSession;
import dev.tutti.train.checkpoint.SavedModel;
import dev.tutti.train.profile.Timing;
import dev.tutti.train.replica.PartsChangedException;
import dev.tutti.train.replica.Replica;
import dev.tutti.train.replica.Strategy;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Trains, evaluates and asks a model; {@link Predictor} asks one that learns no more.
 *
 * <pre>{@code
 * var trainer = Trainer.of(model, adam(1e-3), softmaxCrossEntropy()).metrics(accuracy());
 * History history = trainer.fit(Mnist.train().shuffle(7).batch(128), epochs(3).validate(Mnist.test()));
 * trainer.save(Path.of("digits"));
 * }</pre>
 *
 * <p>Settings are immutable, as those of {@link Fit} are: every method that changes one returns another trainer. The model is built when
 * data is first seen; from then on settings are refused. A trainer belongs to one thread at a time.
 *
 * <p>A model that the trainer builds is its own and is closed with it. A model that is given to it ({@link #of(Model, Optimizer, Loss)})
 * belongs to the caller: the trainer changes its parameters and leaves closing to the caller.
 */
public final class Trainer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Trainer.class);

    private final Layer definition;
    private final TrainingConfig config;
    private final List<Transform> preprocessing;
    private final List<String> classes;
    private final int cores;
    private final Device device;
    private final boolean given;
    private Model model;
    private String trainedOn = "";
    private int epochsDone;
    private boolean trainedInParts;

    private Trainer(
            Layer definition,
            TrainingConfig config,
            List<Transform> preprocessing,
            List<String> classes,
            int cores,
            Device device,
            Model given) {
        this.definition = Objects.requireNonNull(definition, "a trainer needs a model");
        this.config = config;
        this.preprocessing = List.copyOf(preprocessing);
        this.classes = List.copyOf(classes);
        this.cores = cores;
        this.device = device;
        this.model = given;
        this.given = given != null;
    }

    public static Trainer of(Layer definition, Optimizer optimizer, Loss loss) {
        return of(definition, TrainingConfig.of(optimizer, loss));
    }

    public static Trainer of(Layer definition, TrainingConfig config) {
        return new Trainer(definition, config, List.of(), List.of(), Engine.cores(), Device.CPU, null);
    }

    /** A trainer for a model that was built already, for instance loaded from a folder to learn on; the caller closes the model. */
    public static Trainer of(Model model, Optimizer optimizer, Loss loss) {
        return of(model, TrainingConfig.of(optimizer, loss));
    }

    /** A trainer for a model that was built already; the caller closes the model. */
    public static Trainer of(Model model, TrainingConfig config) {
        Device device = model.options().device();
        return new Trainer(model.definition(), config, List.of(), List.of(), Engine.cores(), device, model);
    }

    public Trainer metrics(Metric... choice) {
        return with("metrics", config.metrics(List.of(choice)));
    }

    /** What is done to raw features before they reach the model; kept with the saved model and applied when it predicts. */
    public Trainer preprocessing(Transform... transforms) {
        requireUnbuilt("preprocessing");
        return new Trainer(definition, config, List.of(transforms), classes, cores, device, givenModel());
    }

    /** The names of the classes, for predictions meant for people. */
    public Trainer classes(List<String> names) {
        requireUnbuilt("classes");
        return new Trainer(definition, config, preprocessing, names, cores, device, givenModel());
    }

    /** Evaluates and saves the moving average of the weights instead of the last ones; 0.999 looks back about 1000 steps. */
    public Trainer movingAverage(double decay) {
        return with("movingAverage", config.movingAverage(decay));
    }

    /** What the first parameters, dropout and the like follow from. */
    public Trainer seed(long value) {
        return with("seed", config.seed(value));
    }

    /**
     * What layers multiply in: {@code float32}, or {@code bf16} for products, convolutions and attention; all else stays float32.
     * {@code fp16} is for graphics cards, with losses that are scaled.
     *
     * @throws dev.tutti.TuttiException if there is no such precision
     */
    public Trainer precision(String name) {
        return precision(ComputePrecision.named(name));
    }

    /** What layers multiply in. */
    public Trainer precision(ComputePrecision choice) {
        if (given) {
            throw new IllegalStateException("precision: the model that was given multiplies in "
                    + model.options().precision() + " already");
        }
        return with("precision", config.precision(choice));
    }

    /** Cores that one operation may use; all of them by default. */
    public Trainer cores(int count) {
        requireUnbuilt("cores");
        return new Trainer(definition, config, preprocessing, classes, count, device, givenModel());
    }

    public Trainer device(Device choice) {
        if (given) {
            throw new IllegalStateException("device: the model that was given is on " + device + " already");
        }
        requireUnbuilt("device");
        return new Trainer(definition, config, preprocessing, classes, cores, choice, null);
    }

    private Trainer with(String setting, TrainingConfig changed) {
        requireUnbuilt(setting);
        return new Trainer(definition, changed, preprocessing, classes, cores, device, givenModel());
    }

    private Model givenModel() {
        return given ? model : null;
    }

    private void requireUnbuilt(String setting) {
        if (model != null && !given) {
            throw new IllegalStateException(
                    setting + " must be set before the model is built; for another trainer of the same model"
                            + " call Trainer.of(trainer.model(), ...)");
        }
    }

    /**
     * Trains on all of the data, again and again.
     *
     * @throws dev.tutti.TuttiException if the settings do not fit each other or the data, or training fails; a model that was given keeps
     *     the parameters of the last step
     * @throws dev.tutti.json.ConfigException if a class of the user's own in the model, loss, optimizer, metrics or features was not
     *     registered: the model could be trained, but not saved or loaded
     */
    public History fit(Dataset data, Fit fit) {
        requireWritable();
        fit.launcher().workers().ifPresent(fit.strategy()::validateFor);
        Engine.useThreads(cores);
        Dataset ready = prepared(data);
        Fit prepared = fit.with(fit.strategy()).showingProgress(Terminal.showsErrors(), System.err);
        if (fit.validation().isPresent()) {
            prepared = prepared.validate(prepared(fit.validation().get()));
        }
        ModelPlan plan = plan(ready); // settings that do not fit together are refused before members are started
        requireTablesTrained(plan, prepared.strategy());
        requireLossesScaled(plan, prepared.strategy());
        trainedOn = data.toString();
        Timing timing = new Timing();
        WorkerTask work = new WorkerTask(definition, config, ready, prepared);
        if (fit.launcher() instanceof RemoteLauncher remote) {
            return trainRemotely(remote, work, prepared);
        }
        if (!prepared.strategy().buildsParts()) {
            build(ready);
        }
        try (Team team = fit.launcher().assemble(work)) {
            History history = train(team, timing, plan, ready, prepared);
            epochsDone = history.epochs().size();
            return history;
        }
    }

    private void requireTablesTrained(ModelPlan plan, Strategy strategy) {
        if (plan.tables().isEmpty()) {
            return;
        }
        if (!strategy.trainsTables()) {
            throw new TrainingException("the layer " + plan.tables().get(0).name()
                    + " keeps its rows in a table, which " + strategy
                    + " does not train: expected parameterServer(), or local() for one process");
        }
        if (config.movingAverage() > 0) {
            throw new TrainingException("movingAverage averages the vector of parameters, and the layer "
                    + plan.tables().get(0).name() + " keeps its rows in a table: leave one of them out");
        }
    }

    private static void requireLossesScaled(ModelPlan plan, Strategy strategy) {
        if (plan.options().precision().scalesLosses() && !strategy.scalesLosses()) {
            throw new TrainingException("precision fp16 needs losses that are scaled, which " + strategy
                    + " does not do: expected local(), or precision bf16, which needs none");
        }
    }

    private History trainRemotely(RemoteLauncher remote, WorkerTask work, Fit fit) {
        boolean begun = given || epochsDone > 0;
        if (begun && fit.strategy().buildsParts()) {
            throw hasValuesAlready(fit.strategy());
        }
        build(work.data()); // the whole model comes back, also from members that hold parts of it
        ModelPlan plan = model.plan();
        History history = remote.train(new RemoteTraining(work, fit, model, begun, this::save, strategy -> {
            try (Team team = Team.alone(1)) {
                return train(team, new Timing(), plan, work.data(), fit.with(strategy));
            }
        }));
        epochsDone = history.epochs().size();
        return history;
    }

    private History train(Team team, Timing timing, ModelPlan plan, Dataset data, Fit fit) {
        try {
            Optional<Checkpoint> from = fit.resumeFrom().flatMap(folder -> new CheckpointFolder(folder).newest());
            return fit.strategy().buildsParts()
                    ? trainParts(team, timing, plan, data, fit, from)
                    : trainWhole(team, timing, data, fit, from);
        } catch (RuntimeException | Error e) {
            team.failed(e);
            throw e;
        }
    }

    private void requireWritable() {
        Json.tree(definition);
        Json.tree(config);
        Json.tree(new SavedModel.Features(preprocessing, classes));
    }

    /** The model is there before the members meet: how long it takes to build does not keep others waiting. */
    private History trainWhole(Team team, Timing timing, Dataset data, Fit fit, Optional<Checkpoint> from) {
        try (Replica replica = fit.strategy().replica(model, config, team, timing)) {
            TrainingLoop loop = new TrainingLoop(replica, team, timing, config, data, fit, this::saveTogether);
            from.ifPresent(loop::resume);
            return finished(team, loop.run(team.meet(loop.progress())));
        }
    }

    /** The members meet, then each builds what it holds. */
    private History trainParts(
            Team team, Timing timing, ModelPlan plan, Dataset data, Fit fit, Optional<Checkpoint> from) {
        if (given || trainedInParts) {
            throw hasValuesAlready(fit.strategy());
        }
        long progress = from.map(checkpoint -> checkpoint.message().furthest()).orElse(0L);
        Meeting meeting = team.meet(progress);
        String underWay = null;
        while (true) {
            try (Replica replica = made(underWay != null, plan, team, timing, fit)) {
                if (model != null) { // a model that was built before has first values alone, but some may be frozen
                    replica.model().freezeOnly(model.frozenInWhole());
                    model.close();
                }
                model = replica.model();
                TrainingLoop loop = new TrainingLoop(replica, team, timing, config, data, fit, this::saveTogether);
                if (underWay == null) {
                    from.ifPresent(loop::resume);
                } else {
                    loop.goOnAs(underWay);
                }
                try {
                    History history = loop.run(meeting);
                    model = finished(replica);
                    trainedInParts = true;
                    return finished(team, history);
                } catch (PartsChangedException e) {
                    LOG.warn("{}; all members build their parts anew", e.getMessage());
                    underWay = loop.runName();
                    meeting = loop.lastMeeting();
                }
            } catch (PartsNotBuiltException e) {
                LOG.warn("{}; meeting again", e.getMessage());
                meeting = team.meet(progress);
            }
        }
    }

    private static TrainingException hasValuesAlready(Strategy strategy) {
        return new TrainingException("the model has values already, and " + strategy
                + " lets every member build its part anew: train a definition, or go on from a checkpoint with resume");
    }

    /** The members have changed before this one had built its part. */
    private static final class PartsNotBuiltException extends RuntimeException {
        private static final long serialVersionUID = 1;

        PartsNotBuiltException(GroupChangedException reason) {
            super(reason.getMessage(), reason);
        }
    }

    private Replica made(boolean again, ModelPlan plan, Team team, Timing timing, Fit fit) {
        try {
            return again
                    ? fit.strategy().replicaAgain(plan, config, team, timing)
                    : fit.strategy().replica(plan, config, team, timing);
        } catch (GroupChangedException e) {
            throw new PartsNotBuiltException(e);
        }
    }

    /** The members part: what each is left with is decided while all are there. */
    private static Model finished(Replica replica) {
        try {
            return replica.finished();
        } catch (GroupChangedException e) {
            LOG.warn("{}; this member is left with its part of the model", e.getMessage());
            return replica.model();
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
        return predictor(data).evaluate(data, config.loss(), config.metrics().toArray(Metric[]::new));
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
        Engine.useThreads(cores);
        return Predictor.of(build(prepared(data))).preprocessing(preprocessing).cores(cores);
    }

    private Dataset prepared(Dataset data) {
        Dataset ready = data;
        for (Transform transform : preprocessing) {
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
                : ModelPlan.of(
                        definition,
                        Model.Options.DEFAULT.seed(config.seed()).device(device).precision(config.precision()),
                        inputs(data.spec()));
    }

    private static List<Input> inputs(SampleSpec spec) {
        return spec.features().stream()
                .map(feature -> new Input(
                        feature.shape(),
                        feature.type() == DType.INT64 || feature.type() == DType.INT32 ? DType.INT64 : DType.FLOAT32))
                .toList();
    }

    /** What is learned and how. */
    public TrainingConfig config() {
        return config;
    }

    /** Saves the model as a folder; see {@link SavedModel}. */
    public void save(Path folder) {
        save(folder, null);
    }

    /** Saves the model and how good it is. */
    public void save(Path folder, Evaluation evaluation) {
        SavedModel.write(
                folder, model(), new SavedModel.Features(preprocessing, classes), evaluation, made(epochsDone));
    }

    private void saveTogether(Path folder, Evaluation evaluation, int epochs, CheckpointSession members) {
        SavedModel.Features features = new SavedModel.Features(preprocessing, classes);
        if (members.modelIsDivided()) {
            SavedModel.writeParts(folder, model(), features, evaluation, made(epochs), members::saveWeights);
        } else {
            SavedModel.write(folder, model(), features, evaluation, made(epochs));
        }
    }

    private SavedModel.Made made(int epochs) {
        return SavedModel.Made.now(trainedOn, epochs, config);
    }

    /** Closes the model, unless it was given: then it stays the caller's to use and to close. */
    @Override
    public void close() {
        if (model != null && !given) {
            model.close();
        }
    }
}
