package dev.tutti.strategy.multitask;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.comm.Collectives;
import dev.tutti.comm.Group;
import dev.tutti.comm.Team;
import dev.tutti.data.Batch;
import dev.tutti.data.Dataset;
import dev.tutti.data.Position;
import dev.tutti.nn.Model;
import dev.tutti.nn.RecordedPass;
import dev.tutti.optim.Clipping;
import dev.tutti.optim.Update;
import dev.tutti.strategy.allreduce.StepTally;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.Evaluator;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.TrainingException;
import dev.tutti.train.multitask.GradientCombination;
import dev.tutti.train.multitask.TaskLoss;
import dev.tutti.train.profile.Timing;
import dev.tutti.train.profile.Timing.Phase;
import dev.tutti.train.replica.Agreement;
import dev.tutti.train.replica.Feed;
import dev.tutti.train.replica.HeldState;
import dev.tutti.train.replica.LocalReplica;
import dev.tutti.train.replica.Outcome;
import dev.tutti.train.replica.Replica;
import dev.tutti.train.replica.StepInput;
import dev.tutti.train.replica.StepPlan;
import dev.tutti.train.replica.StepResult;
import dev.tutti.train.replica.StrategyReport;
import dev.tutti.train.replica.Vote;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * One member that keeps the gradients of its tasks apart until all members have summed them. Parameters move when every sum is there,
 * so a step that fails on the way leaves them as they were.
 */
final class TaskGradientsReplica implements Replica {
    private final TaskGradients strategy;
    private final Model model;
    private final TrainingConfig recipe;
    private final TaskLoss loss;
    private final Team team;
    private final Timing timing;
    private final Agreement agreement;
    private final Update update;
    private final List<Tensor> gradients = new ArrayList<>(); // of each task, summed over rows
    private final Tensor memory; // what the way of combining keeps from step to step
    private final double[] lossSums;
    private final double[][] conflicts; // steps in which two tasks had gradients against each other
    private long steps;

    TaskGradientsReplica(
            TaskGradients strategy, Model model, TrainingConfig recipe, TaskLoss loss, Team team, Timing timing) {
        this.strategy = strategy;
        this.model = model;
        this.recipe = recipe;
        this.loss = loss;
        this.team = team;
        this.timing = timing;
        agreement = Agreement.over(team);
        update = recipe.optimizer().bind(LocalReplica.target(model));
        lossSums = new double[loss.count()];
        conflicts = new double[loss.count()][loss.count()];
        try (Scope scope = Scope.open()) {
            memory = Tensor.zeros(Shape.of(2L * loss.count()), DType.FLOAT64).retain();
            for (int i = 0; i < loss.count(); i++) {
                gradients.add(Tensor.zeros(
                                model.vector().gradients().shape(),
                                model.options().type(),
                                model.options().device())
                        .retain());
            }
        }
    }

    @Override
    public Model model() {
        return model;
    }

    @Override
    public void batchesPerUpdate(int count) {
        if (count > 1) {
            throw new TrainingException("the strategy taskGradients makes an update of one batch, received accumulate "
                    + count + ": use a larger batch");
        }
    }

    @Override
    public Feed open(Dataset data, int epoch, Position from) {
        Group group = team.group();
        if (group.size() == 1) {
            return Feed.whole(data, epoch, from, timing);
        }
        long batch = data.batchSize().orElse(1);
        Range share = Range.between(batch * group.rank() / group.size(), batch * (group.rank() + 1) / group.size());
        return Feed.share(data, share, epoch, from, timing);
    }

    @Override
    public Outcome step(StepPlan plan, StepInput input) {
        gradients.forEach(Tensor::zero_);
        Arrays.fill(lossSums, 0);
        long samples = 0;
        double lossSum = 0;
        long began = System.nanoTime();
        for (Optional<Batch> batch = input.next(); batch.isPresent(); batch = input.next()) {
            StepResult result = backward(batch.get(), plan.number());
            samples += result.size();
            lossSum += result.loss() * result.size();
            input.measured(batch.get(), result);
        }
        began = timing.record(Phase.COMPUTE, began);
        Vote vote = input.vote();
        Collectives collectives = team.collectives();
        StepTally tally = StepTally.cast(collectives, samples, lossSum, 0, vote);
        vote.pendingMetrics().gather(agreement);
        if (tally.samples() > 0) {
            exchange(collectives);
            double[] losses = collectives.sum("losses of tasks", lossSums);
            began = timing.record(Phase.WIRE, began);
            move(plan, tally.samples(), losses);
            timing.record(Phase.UPDATE, began);
        }
        return new Outcome(
                1,
                tally.samples(),
                tally.loss(),
                tally.more(),
                tally.stop(),
                tally.interrupted(),
                tally.reopen(),
                tally.stateWanted());
    }

    /** One pass for each task, all with the same random numbers. */
    private StepResult backward(Batch batch, long step) {
        recipe.loss().check(batch.labels(), model.outputs());
        model.training(true);
        double sum = 0;
        List<NdArray> outputs = List.of();
        for (int task = 0; task < loss.count(); task++) {
            model.restartRandomness(recipe.seed(), step, 0, 0);
            try (Scope scope = Scope.open();
                    RecordedPass pass = model.record(tensors(batch.features()))) {
                Optional<Tensor> share = loss.ofTask(task, pass.outputs(), tensors(batch.labels()));
                outputs = task == 0 && !recipe.metrics().isEmpty() ? Evaluator.arrays(pass.outputs()) : outputs;
                if (share.isPresent()) {
                    Tensor own = share.get();
                    sum += own.item();
                    lossSums[task] += own.item() * batch.size();
                    pass.backward(own, false);
                    try (NoGradients off = NoGradients.begin()) {
                        gradients.get(task).add_(model.vector().gradients(), batch.size());
                    }
                }
            }
        }
        return new StepResult(sum, batch.size(), outputs);
    }

    private List<Tensor> tensors(List<NdArray> arrays) {
        return arrays.stream()
                .map(array -> Tensor.of(array, model.options().device()))
                .toList();
    }

    private void exchange(Collectives collectives) {
        if (collectives.group().size() == 1) {
            return;
        }
        for (int task = 0; task < gradients.size(); task++) {
            collectives.allReduce("gradients of task " + task, gradients.get(task));
        }
        if (model.state().size() > 0) { // running statistics: the mean of all members
            try (Scope scope = Scope.open();
                    NoGradients off = NoGradients.begin()) {
                Tensor state = model.state().values();
                collectives.allReduce("running statistics", state);
                state.mul_(1.0 / collectives.group().size());
            }
        }
    }

    private void move(StepPlan plan, long samples, double[] losses) {
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            double[][] products = products(samples);
            countConflicts(products);
            double[] kept = memory.toArray().doubles();
            double[] factors = strategy.method()
                    .combine(
                            products,
                            new GradientCombination.TaskStep(
                                    Arrays.stream(losses)
                                            .map(sum -> sum / samples)
                                            .toArray(),
                                    kept,
                                    plan.learningRate(),
                                    recipe.seed() * 31 + plan.number()));
            memory.write(NdArray.of(kept, kept.length));
            Tensor all = model.vector().gradients();
            all.zero_();
            for (int task = 0; task < factors.length; task++) {
                all.add_(gradients.get(task), factors[task] / samples);
            }
            Clipping clipping = recipe.optimizer().clipping();
            if (clipping.isOn()) {
                clipping.apply(all);
            }
        }
        update.apply(plan.learningRate());
    }

    private void countConflicts(double[][] products) {
        steps++;
        for (int i = 0; i < products.length; i++) {
            for (int j = 0; j < i; j++) {
                conflicts[i][j] += products[i][j] < 0 ? 1 : 0;
            }
        }
    }

    private double[][] products(long samples) {
        double[][] products = new double[gradients.size()][gradients.size()];
        for (int i = 0; i < products.length; i++) {
            for (int j = 0; j <= i; j++) {
                products[i][j] = gradients.get(i).mul(gradients.get(j)).sum().item() / ((double) samples * samples);
                products[j][i] = products[i][j];
            }
        }
        return products;
    }

    @Override
    public Agreement agreement() {
        return agreement;
    }

    @Override
    public HeldState state() {
        Map<String, Tensor> state = new LinkedHashMap<>(update.state());
        state.put("multitask.memory", memory);
        return HeldState.whole(state);
    }

    /** The share of steps in which the gradients of two tasks point against each other: of all pairs, and of each. */
    @Override
    public StrategyReport report() {
        if (steps == 0 || loss.count() < 2) {
            return StrategyReport.NONE;
        }
        Map<String, Double> pairs = new LinkedHashMap<>();
        double sum = 0;
        for (int i = 0; i < conflicts.length; i++) {
            for (int j = 0; j < i; j++) {
                double share = conflicts[i][j] / steps;
                pairs.put(loss.name(j) + "/" + loss.name(i), share);
                sum += share;
            }
        }
        double all = sum / pairs.size();
        StringBuilder text = new StringBuilder(String.format(
                Locale.ROOT, "Gradients of two tasks pointed against each other in %.1f%% of all cases:", 100 * all));
        pairs.forEach((pair, share) -> text.append(String.format(Locale.ROOT, " %s %.1f%%", pair, 100 * share)));
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("conflicts", all);
        values.put("conflictsOfPairs", pairs);
        return new StrategyReport(text.append(System.lineSeparator()).toString(), values);
    }

    @Override
    public void close() {
        gradients.forEach(Tensor::close);
        memory.close();
        update.close();
    }
}
