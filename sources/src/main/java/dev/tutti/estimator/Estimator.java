package dev.tutti.estimator;

import dev.tutti.array.NdArray;
import dev.tutti.data.Dataset;
import dev.tutti.data.transform.Transform;
import dev.tutti.io.AtomicFile;
import dev.tutti.json.Json;
import dev.tutti.loss.Loss;
import dev.tutti.loss.Losses;
import dev.tutti.metric.Metric;
import dev.tutti.nn.Model;
import dev.tutti.optim.Optimizer;
import dev.tutti.optim.Optimizers;
import dev.tutti.source.column.Columns;
import dev.tutti.train.Evaluation;
import dev.tutti.train.Fit;
import dev.tutti.train.History;
import dev.tutti.train.Trainer;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Callbacks;
import dev.tutti.train.checkpoint.SavedModel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Trains, evaluates, asks and exports the model of a model function. What was learned lies in the folder of its {@link RunConfig}:
 * another estimator with the same folder goes on from there.
 *
 * <pre>{@code
 * var estimator = Estimator.of(modelFunction, RunConfig.in(folder));
 * estimator.train(input, 1000);
 * Evaluation evaluation = estimator.evaluate(test);
 * }</pre>
 */
public final class Estimator {
    private final ModelFunction function;
    private final RunConfig config;
    private final Optional<Columns> columns;
    private final Optional<Path> warmStart;

    /** What train has done so far. */
    private record State(int passes, Columns columns) {}

    private Estimator(ModelFunction function, RunConfig config, Optional<Columns> columns, Optional<Path> warmStart) {
        this.function = function;
        this.config = config;
        this.columns = columns;
        this.warmStart = warmStart;
    }

    public static Estimator of(ModelFunction function, RunConfig config) {
        return new Estimator(function, config, Optional.empty(), Optional.empty());
    }

    /** Feature columns for input functions that give tables; fitted to the input of the first training. */
    public Estimator columns(Columns choice) {
        return new Estimator(function, config, Optional.of(choice), warmStart);
    }

    /** Begins with the parameters of a saved model that have the same names and shapes. */
    public Estimator warmStart(Path savedModel) {
        return new Estimator(function, config, columns, Optional.of(savedModel));
    }

    /** Trains for one pass over the input. */
    public History train(InputFunction input) {
        return train(TrainSpec.of(input, 0));
    }

    /** Trains up to a step, counted over all calls, with as many passes over the input as that takes. */
    public History train(InputFunction input, long maxSteps) {
        return train(TrainSpec.of(input, maxSteps));
    }

    public History train(TrainSpec spec) {
        Dataset data = batched(spec.input().get());
        State state = state(data);
        EstimatorSpec model = function.apply(Mode.TRAIN, context(state.columns));
        int passes = spec.maxSteps() == 0 ? state.passes + 1 : passes(data, spec.maxSteps(), state.passes);
        try (Trainer trainer = trainer(model, state.columns)) {
            begin(trainer, prepared(data, state.columns));
            Fit fit = Fit.epochs(passes)
                    .on(config.cluster())
                    .with(config.strategy())
                    .resume(config.checkpoints())
                    .callbacks(callbacks(model, spec));
            History history = trainer.fit(data, fit);
            trainer.save(
                    config.model(),
                    history.epochs().isEmpty() ? null : history.last().measured());
            write(new State(history.epochs().size(), state.columns));
            return history;
        }
    }

    /** Passes that reach a step; where the input does not say how long it is, one more than were done. */
    private static int passes(Dataset data, long maxSteps, int done) {
        return data.batches().isEmpty()
                ? done + 1
                : Math.toIntExact(Math.max(
                        1,
                        (maxSteps + data.batches().getAsLong() - 1)
                                / data.batches().getAsLong()));
    }

    private Callback[] callbacks(EstimatorSpec model, TrainSpec spec) {
        List<TrainingHook> hooks = new ArrayList<>(model.trainingHooks());
        hooks.addAll(spec.hooks());
        if (spec.maxSteps() > 0) {
            hooks.add(Hooks.stopAtStep(spec.maxSteps()));
        }
        List<Callback> callbacks = new ArrayList<>(List.of(Callbacks.stopOnNan()));
        hooks.forEach(hook -> callbacks.add(hook.callback()));
        if (config.saveSummarySteps() > 0) {
            callbacks.add(Callbacks.tensorBoard(config.summaries()).everySteps(config.saveSummarySteps()));
        }
        var saver = Callbacks.checkpoint(config.checkpoints()).keep(config.keepCheckpointMax());
        callbacks.add(config.saveCheckpointsSteps() > 0 ? saver.everySteps(config.saveCheckpointsSteps()) : saver);
        return callbacks.toArray(Callback[]::new);
    }

    private void begin(Trainer trainer, Dataset prepared) {
        Model model = trainer.build(prepared);
        if (warmStart.isPresent() && !Files.exists(config.state())) {
            try (SavedModel saved = SavedModel.load(warmStart.get())) {
                Map<String, NdArray> arrays = new LinkedHashMap<>(model.arrays());
                Map<String, NdArray> known = saved.model().arrays();
                arrays.replaceAll((name, array) ->
                        known.containsKey(name) && known.get(name).shape().equals(array.shape())
                                ? known.get(name)
                                : array);
                model.load(arrays, warmStart.get().toString());
            }
        }
    }

    private Trainer trainer(EstimatorSpec model, Columns fitted) {
        Loss loss =
                model.loss().orElseThrow(() -> new EstimatorException("the model function gave no loss to train with"));
        Optimizer optimizer = model.trainOperation()
                .orElseThrow(() -> new EstimatorException("the model function gave no train operation to train with"));
        return Trainer.of(model.predictions(), optimizer, loss)
                .metrics(model.metrics().toArray(Metric[]::new))
                .preprocessing(fitted == null ? new Transform[0] : new Transform[] {fitted})
                .classes(fitted == null ? List.of() : fitted.classes())
                .seed(config.seed());
    }

    private static Dataset batched(Dataset data) {
        return data.batchSize().isPresent() ? data : data.batch(32);
    }

    private static Dataset prepared(Dataset data, Columns fitted) {
        return fitted == null ? data : data.map(fitted);
    }

    private State state(Dataset data) {
        if (Files.exists(config.state())) {
            return Json.read(config.state(), State.class);
        }
        return new State(
                0,
                columns.map(choice -> choice.isFitted() ? choice : choice.fit(data))
                        .orElse(null));
    }

    private void write(State state) {
        AtomicFile.write(config.state(), Json.write(state));
    }

    private ModelContext context(Columns fitted) {
        return new ModelContext(Optional.ofNullable(fitted), config);
    }

    private <T> T withModel(Mode mode, java.util.function.BiFunction<Trainer, EstimatorSpec, T> use) {
        if (!Files.exists(config.state())) {
            throw new EstimatorException(
                    "the estimator in " + config.modelDir() + " has not been trained yet: call train first");
        }
        State state = Json.read(config.state(), State.class);
        EstimatorSpec spec = function.apply(mode, context(state.columns));
        try (SavedModel saved = SavedModel.load(config.model())) {
            Trainer trainer = Trainer.of(
                            saved.model(),
                            spec.trainOperation().orElse(Optimizers.sgd(0.1)),
                            spec.loss().orElse(Losses.mse()))
                    .metrics(spec.metrics().toArray(Metric[]::new))
                    .preprocessing(state.columns == null ? new Transform[0] : new Transform[] {state.columns});
            return use.apply(trainer, spec);
        }
    }

    /** Loss and metrics over all of the input. */
    public Evaluation evaluate(InputFunction input) {
        return evaluate(EvalSpec.of(input));
    }

    public Evaluation evaluate(EvalSpec spec) {
        return withModel(Mode.EVALUATE, (trainer, model) -> {
            if (model.loss().isEmpty()) {
                throw new EstimatorException("the model function gave no loss to evaluate with");
            }
            Dataset data = batched(spec.input().get());
            return trainer.evaluate(
                    spec.steps() == 0
                            ? data
                            : data.take(spec.steps() * data.batchSize().getAsInt()));
        });
    }

    /** What the model answers for each row of the input. */
    public NdArray predict(InputFunction input) {
        return withModel(Mode.PREDICT, (trainer, model) -> trainer.predict(batched(input.get())));
    }

    /** Saves the model for others to use; see {@link SavedModel}. */
    public void export(Path folder) {
        withModel(Mode.PREDICT, (trainer, model) -> {
            trainer.save(folder);
            return folder;
        });
    }

    /**
     * Trains up to a step and evaluates on the way.
     *
     * @return the evaluations in their order; the last is that of the end
     */
    public static List<Evaluation> trainAndEvaluate(Estimator estimator, TrainSpec train, EvalSpec eval) {
        if (train.maxSteps() < 1) {
            throw new EstimatorException("trainAndEvaluate needs a TrainSpec with a last step of 1 or more");
        }
        List<Evaluation> evaluations = new ArrayList<>();
        for (long step = Math.min(eval.everySteps(), train.maxSteps());
                ;
                step = Math.min(step + eval.everySteps(), train.maxSteps())) {
            estimator.train(new TrainSpec(train.input(), step, train.hooks()));
            Evaluation evaluation = estimator.evaluate(eval);
            evaluations.add(evaluation);
            for (Exporter exporter : eval.exporters()) {
                exporter.export(estimator, evaluation, step, step == train.maxSteps());
            }
            if (step == train.maxSteps()) {
                return evaluations;
            }
        }
    }
}
