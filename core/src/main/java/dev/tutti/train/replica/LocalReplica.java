package dev.tutti.train.replica;

import dev.tutti.array.NamedRange;
import dev.tutti.array.NdArray;
import dev.tutti.array.Range;
import dev.tutti.comm.Team;
import dev.tutti.data.Batch;
import dev.tutti.data.Dataset;
import dev.tutti.data.Position;
import dev.tutti.nn.Model;
import dev.tutti.nn.Parameter;
import dev.tutti.nn.RecordedPass;
import dev.tutti.optim.Clipping;
import dev.tutti.optim.Target;
import dev.tutti.optim.Update;
import dev.tutti.table.RowGradients;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.Evaluator;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.profile.Timing;
import dev.tutti.train.profile.Timing.Phase;
import dev.tutti.train.worker.LossScale;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A worker on its own: forward, backward, update. The plain twin of every distributed strategy. */
public final class LocalReplica implements Replica {
    private final Model model;
    private final TrainingConfig recipe;
    private final Update update;
    private final Team team;
    private final Timing timing;
    private final Agreement agreement;
    private final Optional<LossScale> scale;
    private int batches; // this and the next are of the step under way
    private long samples;

    LocalReplica(Model model, TrainingConfig recipe, Team team, Timing timing) {
        this.model = model;
        this.recipe = recipe;
        this.team = team;
        this.timing = timing;
        agreement = Agreement.over(team);
        update = recipe.optimizer().bind(target(model));
        scale = model.options().precision().scalesLosses() ? Optional.of(new LossScale()) : Optional.empty();
        bindTables(model, recipe);
    }

    /** What the optimizer works on: the whole vector. */
    public static Target target(Model model) {
        List<NamedRange> names = model.parameters().stream()
                .map(p -> new NamedRange(p.name(), p.range()))
                .toList();
        return new Target(model.vector(), model.vector().all(), names, model::trainable);
    }

    /** Lets the rows of the model's tables be moved by the optimizer of the training, in this process. */
    public static void bindTables(Model model, TrainingConfig recipe) {
        model.tables()
                .bind(
                        recipe.optimizer(),
                        model.parameters().stream().map(Parameter::name).toList());
    }

    @Override
    public Model model() {
        return model;
    }

    @Override
    public Feed open(Dataset data, int epoch, Position from) {
        return Feed.whole(data, epoch, from, timing);
    }

    @Override
    public Outcome step(StepPlan plan, StepInput input) {
        batches = 0;
        samples = 0;
        double lossSum = 0;
        for (Optional<Batch> batch = input.next(); batch.isPresent(); batch = input.next()) {
            long began = System.nanoTime();
            StepResult result = forwardAndBackward(batch.get(), plan.number());
            lossSum += result.loss() * result.size();
            timing.record(Phase.COMPUTE, began);
            input.measured(batch.get(), result);
        }
        Vote vote = input.vote();
        vote.pendingMetrics().gather(agreement);
        update(plan);
        return Outcome.alone(samples, lossSum / samples, vote);
    }

    private StepResult forwardAndBackward(Batch batch, long step) {
        recipe.loss().check(batch.labels(), model.outputs());
        model.training(true);
        model.restartRandomness(recipe.seed(), step, batches, 0); // the first worker, as workers on threads draw
        try (Scope scope = Scope.open();
                RecordedPass pass = model.record(tensors(batch.features(), model))) {
            Tensor loss = recipe.loss().compute(pass.outputs(), tensors(batch.labels(), model));
            double value = loss.item();
            // A single batch needs no weighing; several are summed by samples and divided in the update.
            Tensor scaled = scale.isPresent() ? loss.mul(scale.get().value()) : loss;
            add(pass, batches == 0 ? scaled : scaled.mul(batch.size()), batch.size());
            return new StepResult(
                    value, batch.size(), recipe.metrics().isEmpty() ? List.of() : Evaluator.arrays(pass.outputs()));
        }
    }

    private void add(RecordedPass pass, Tensor loss, int size) {
        if (batches == 1) {
            try (NoGradients off = NoGradients.begin()) {
                model.vector().gradients().mul_(samples);
            }
            model.rowGradients().scale(samples);
        }
        pass.backward(loss, batches > 0);
        batches++;
        samples += size;
    }

    private void update(StepPlan plan) {
        long began = System.nanoTime();
        if (batches > 1) {
            try (NoGradients off = NoGradients.begin()) {
                model.vector().gradients().mul_(1.0 / samples);
            }
            model.rowGradients().scale(1.0 / samples);
        }
        if (scale.isEmpty() || scale.get().restore(model, plan.number())) {
            move(plan.learningRate());
        }
        timing.record(Phase.UPDATE, began);
    }

    private void move(double learningRate) {
        Clipping clipping = recipe.optimizer().clipping();
        if (clipping.isOn()) {
            clip(clipping, model.vector().gradients(), model.rowGradients());
        }
        update.apply(learningRate);
        model.tables().apply(model.rowGradients(), learningRate);
    }

    /** Clips gradients of the vector, or of a part of it, and of rows, by their common length. */
    public static void clip(Clipping clipping, Tensor gradients, RowGradients rows) {
        if (rows.isEmpty()) {
            clipping.apply(gradients);
            return;
        }
        clipping.clipValues(gradients);
        if (clipping.value() > 0) {
            rows.clamp(clipping.value());
        }
        if (clipping.norm() > 0) {
            double length = Math.sqrt(Clipping.squaredNorm(gradients) + rows.squaredNorm());
            clipping.scale(gradients, length);
            if (length > clipping.norm() && Double.isFinite(length)) {
                rows.scale(clipping.norm() / length);
            }
        }
    }

    @Override
    public void regrouped() {
        Strategy.local().validateFor(team.group().size() * team.threads());
    }

    @Override
    public Agreement agreement() {
        return agreement;
    }

    @Override
    public HeldState state() {
        Map<String, Tensor> state = new LinkedHashMap<>(update.state());
        scale.ifPresent(factor -> state.putAll(factor.state()));
        return HeldState.whole(state);
    }

    @Override
    public void close() {
        update.close();
        scale.ifPresent(LossScale::close);
    }

    /** Some rows of each array. */
    public static List<Tensor> tensors(List<NdArray> arrays, Range rows, Model model) {
        return arrays.stream()
                .map(array -> Tensor.of(array, rows, model.options().device()))
                .toList();
    }

    static List<Tensor> tensors(List<NdArray> arrays, Model model) {
        return arrays.stream()
                .map(array -> Tensor.of(array, model.options().device()))
                .toList();
    }
}
