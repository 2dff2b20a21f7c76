package dev.tutti.train;

import dev.tutti.data.Batch;
import dev.tutti.data.BatchReader;
import dev.tutti.data.Dataset;
import dev.tutti.data.Position;
import dev.tutti.json.Json;
import dev.tutti.nn.Model;
import dev.tutti.optim.MovingAverage;
import dev.tutti.optim.Progress;
import dev.tutti.tensor.Engine;
import dev.tutti.tensor.NdArray;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.BiConsumer;

/** The one training loop: it drives a replica through the epochs, tells the callbacks, and can be cut and gone on with anywhere. */
final class TrainingLoop implements Run {
    private final Replica replica;
    private final Recipe recipe;
    private final Dataset data;
    private final Fit fit;
    private final BiConsumer<Path, Evaluation> modelSaver;
    private final MovingAverage average;
    private final int threads = Engine.threads(); // a replica may use fewer while it trains
    private final List<EpochResult> finished = new ArrayList<>();
    private final List<Double> observed = new ArrayList<>();

    private int epoch;
    private long step;
    private long stepAtEpochStart;
    private long samplesSeen;
    private double lastLoss = Double.NaN;
    private double learningRate = Double.NaN;
    private Totals totals;
    private Position position;
    private String stopReason;

    TrainingLoop(Replica replica, Recipe recipe, Dataset data, Fit fit, BiConsumer<Path, Evaluation> modelSaver) {
        this.replica = replica;
        this.recipe = recipe;
        this.data = Evaluator.prepared(data);
        this.fit = fit;
        this.modelSaver = modelSaver;
        average = recipe.movingAverage() == 0
                ? null
                : MovingAverage.withWarmup(replica.model().vector(), recipe.movingAverage());
        totals = new Totals(recipe.metrics());
    }

    History run() {
        if (fit.resumeFrom() != null) {
            new CheckpointFolder(fit.resumeFrom()).newest().ifPresent(this::restore);
        }
        Throwable failure = null;
        try {
            fit.callbacks().forEach(callback -> callback.begin(this));
            while (epoch < fit.epochs() && !stopping()) {
                runEpoch();
            }
        } catch (RuntimeException | Error e) {
            failure = e;
            throw e;
        } finally {
            tellEnd(failure);
        }
        leaveAveraged();
        boolean interrupted = fit.interrupted().getAsBoolean();
        History.Ending ending = interrupted
                ? History.Ending.INTERRUPTED
                : stopReason == null ? History.Ending.COMPLETED : History.Ending.STOPPED;
        return new History(finished, ending, interrupted ? "interrupted" : stopReason);
    }

    /** Leaves the model with the weights that were evaluated: the averaged ones where there is an average. */
    private void leaveAveraged() {
        if (average != null) {
            try (Scope scope = Scope.open();
                    NoGradients off = NoGradients.begin()) {
                replica.model().vector().values().copy_(average.state().get("average"));
            }
            average.close();
        }
    }

    /** Every callback hears of the end, also when another one fails at it. */
    private void tellEnd(Throwable failure) {
        RuntimeException later = null;
        for (Callback callback : fit.callbacks()) {
            try {
                callback.end(this, failure);
            } catch (RuntimeException e) {
                if (failure != null) {
                    failure.addSuppressed(e);
                } else if (later == null) {
                    later = e;
                } else {
                    later.addSuppressed(e);
                }
            }
        }
        if (later != null) {
            throw later;
        }
    }

    private void runEpoch() {
        long started = System.nanoTime();
        try (BatchReader reader = position == null ? data.open(epoch) : data.open(epoch, position)) {
            for (Batch batch = reader.next(); batch != null && !stopping(); batch = reader.next()) {
                step(batch, reader);
                position = reader.position();
                fit.callbacks().forEach(callback -> callback.step(this));
            }
            if (stopping()) {
                return;
            }
        }
        if (totals.value().samples() == 0) {
            throw new TrainingException("the training data has no samples: " + data);
        }
        Evaluation validation = validate();
        EpochResult result = new EpochResult(
                epoch + 1, step, learningRate, totals.value(), validation, (System.nanoTime() - started) / 1e9);
        finish(result);
        epoch++;
        stepAtEpochStart = step;
        position = null;
        totals = new Totals(recipe.metrics());
        fit.callbacks().forEach(callback -> callback.epoch(this, result));
    }

    private void finish(EpochResult result) {
        finished.add(result);
        observed.add(result.monitored(recipe.optimizer().schedule().monitor().orElse("loss")));
    }

    /** One update, from as many batches as it takes; at the end of an epoch from what is left. */
    private void step(Batch first, BatchReader reader) {
        double lossSum = 0;
        long samples = 0;
        Batch batch = first;
        for (int i = 0; batch != null; batch = ++i < fit.accumulate() ? reader.next() : null) {
            StepResult result = replica.accumulate(batch, step);
            totals.add(result, batch.labels());
            lossSum += result.loss() * result.size();
            samples += result.size();
        }
        lastLoss = lossSum / samples;
        learningRate = recipe.optimizer().rate(progress());
        replica.update(learningRate);
        if (average != null) {
            average.update();
        }
        step++;
        samplesSeen += samples;
    }

    /** What the schedule goes by. */
    private Progress progress() {
        long steps = stepsPerEpoch().orElse(0);
        return new Progress(step, steps, steps * fit.epochs(), observed);
    }

    private Evaluation validate() {
        if (fit.validation() == null) {
            return null;
        }
        Engine.useThreads(threads);
        try (MovingAverage.Swap averaged = swapIn()) {
            return Evaluator.evaluate(replica.model(), recipe, fit.validation()).value();
        }
    }

    private MovingAverage.Swap swapIn() {
        return average == null ? () -> {} : average.swapIn();
    }

    // ---- going on

    @Override
    public Checkpoint checkpoint() {
        Map<String, NdArray> arrays = new LinkedHashMap<>();
        replica.model().arrays().forEach((name, array) -> arrays.put("model." + name, array));
        try (Scope scope = Scope.open()) {
            state().forEach((name, tensor) -> arrays.put(name, tensor.toArray()));
        }
        totals.snapshot().forEach((name, array) -> arrays.put("totals." + name, array));
        Map<String, Map<String, Double>> callbacks = new LinkedHashMap<>();
        fit.callbacks().forEach(callback -> callbacks.put(callback.name(), callback.state()));
        return new Checkpoint(
                arrays, new Checkpoint.Progress(epoch, step, position, Json.write(recipe), callbacks, finished));
    }

    /** The tensors beside the model that the next step depends on. */
    private Map<String, Tensor> state() {
        Map<String, Tensor> state = new LinkedHashMap<>();
        replica.state().forEach((name, tensor) -> state.put("optimizer." + name, tensor));
        if (average != null) {
            average.state().forEach((name, tensor) -> state.put("average." + name, tensor));
        }
        return state;
    }

    private void restore(Checkpoint checkpoint) {
        Checkpoint.Progress progress = checkpoint.progress();
        requireSameRecipe(progress);
        Map<String, NdArray> arrays = checkpoint.arrays();
        replica.model().load(under("model.", arrays), "the checkpoint");
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            state().forEach((name, tensor) -> tensor.copy_(Tensor.of(arrays.get(name))));
        }
        totals.restore(under("totals.", arrays));
        epoch = progress.epoch();
        step = progress.step();
        position = progress.position();
        progress.epochs().forEach(this::finish);
        stepAtEpochStart =
                finished.isEmpty() ? 0 : finished.get(finished.size() - 1).steps();
        fit.callbacks().forEach(callback -> {
            Map<String, Double> state = progress.callbacks().get(callback.name());
            if (state != null) {
                callback.restore(state);
            }
        });
    }

    private void requireSameRecipe(Checkpoint.Progress progress) {
        String now = Json.write(recipe);
        if (!now.equals(progress.recipe())) {
            throw new TrainingException(
                    "the checkpoint was made with other settings, so the run cannot go on from it: it had "
                            + progress.recipe() + ", now there is " + now + "; choose another folder to begin anew");
        }
    }

    private static Map<String, NdArray> under(String prefix, Map<String, NdArray> arrays) {
        Map<String, NdArray> out = new LinkedHashMap<>();
        arrays.forEach((name, array) -> {
            if (name.startsWith(prefix)) {
                out.put(name.substring(prefix.length()), array);
            }
        });
        return out;
    }

    // ---- what callbacks see

    @Override
    public Model model() {
        return replica.model();
    }

    @Override
    public Recipe recipe() {
        return recipe;
    }

    @Override
    public int epoch() {
        return epoch + 1;
    }

    @Override
    public int epochs() {
        return fit.epochs();
    }

    @Override
    public long step() {
        return step;
    }

    @Override
    public long stepOfEpoch() {
        return step - stepAtEpochStart;
    }

    @Override
    public OptionalLong stepsPerEpoch() {
        OptionalLong batches = data.batches();
        return batches.isEmpty()
                ? batches
                : OptionalLong.of((batches.getAsLong() + fit.accumulate() - 1) / fit.accumulate());
    }

    @Override
    public long samplesSeen() {
        return samplesSeen;
    }

    @Override
    public double learningRate() {
        return learningRate;
    }

    @Override
    public double lastLoss() {
        return lastLoss;
    }

    @Override
    public Evaluation soFar() {
        return totals.value();
    }

    @Override
    public List<EpochResult> finished() {
        return List.copyOf(finished);
    }

    @Override
    public void stop(String reason) {
        stopReason = reason;
    }

    @Override
    public boolean stopping() {
        return stopReason != null || fit.interrupted().getAsBoolean();
    }

    @Override
    public void saveModel(Path folder) {
        EpochResult last = finished.isEmpty() ? null : finished.get(finished.size() - 1);
        Evaluation evaluation = last == null ? null : last.validation() == null ? last.training() : last.validation();
        try (MovingAverage.Swap averaged = swapIn()) {
            modelSaver.accept(folder, evaluation);
        }
    }
}
