package dev.tutti.strategy.hogwild;

import dev.tutti.array.NdArray;
import dev.tutti.array.Range;
import dev.tutti.comm.Team;
import dev.tutti.data.Batch;
import dev.tutti.data.Dataset;
import dev.tutti.data.Position;
import dev.tutti.nn.Model;
import dev.tutti.nn.RecordedPass;
import dev.tutti.optim.Clipping;
import dev.tutti.optim.Update;
import dev.tutti.tensor.Engine;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.Evaluator;
import dev.tutti.train.RowJoiner;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.TrainingException;
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
import dev.tutti.train.replica.Vote;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Threads that move the vector they share as soon as each has its gradients. All parts of a batch are done when a step ends. */
final class HogwildReplica implements Replica {
    private final TrainingConfig recipe;
    private final Team team;
    private final Timing timing;
    private final Agreement agreement;
    private final List<Model> models = new ArrayList<>();
    private final List<Update> updates = new ArrayList<>();
    private final ExecutorService threads;

    HogwildReplica(Model model, TrainingConfig recipe, Team team, Timing timing) {
        this.recipe = recipe;
        this.team = team;
        this.timing = timing;
        agreement = Agreement.over(team);
        models.add(model);
        for (int i = 1; i < team.threads(); i++) {
            models.add(model.replica());
        }
        models.forEach(each -> updates.add(recipe.optimizer().bind(LocalReplica.target(each))));
        models.forEach(each -> each.divided(models.size() > 1));
        threads = Executors.newFixedThreadPool(models.size(), work -> {
            Thread thread = new Thread(work, "tutti-hogwild");
            thread.setDaemon(true);
            return thread;
        });
    }

    @Override
    public Model model() {
        return models.get(0);
    }

    @Override
    public Feed open(Dataset data, int epoch, Position from) {
        return Feed.whole(data, epoch, from, timing);
    }

    @Override
    public Outcome step(StepPlan plan, StepInput input) {
        long samples = 0;
        double lossSum = 0;
        int batches = 0;
        for (Optional<Batch> batch = input.next(); batch.isPresent(); batch = input.next()) {
            long began = System.nanoTime();
            StepResult result = all(plan, batch.get(), batches);
            batches++;
            samples += result.size();
            lossSum += result.loss() * result.size();
            timing.record(Phase.COMPUTE, began);
            input.measured(batch.get(), result);
        }
        averageStatistics();
        Vote vote = input.vote();
        vote.pendingMetrics().gather(agreement);
        return new Outcome(1, samples, lossSum / samples, vote.more(), vote.stop(), vote.interrupted(), vote.reopen());
    }

    private StepResult all(StepPlan plan, Batch batch, int number) {
        recipe.loss().check(batch.labels(), model().outputs());
        int busy = Math.min(models.size(), batch.size());
        List<Future<StepResult>> running = new ArrayList<>();
        for (int i = 0; i < busy; i++) {
            int worker = i;
            Range share = new Range(0, batch.size()).part(i, busy);
            running.add(threads.submit(() -> part(plan, batch, share, worker, number)));
        }
        List<StepResult> parts = new ArrayList<>();
        for (Future<StepResult> each : running) {
            parts.add(result(each));
        }
        double loss = 0;
        for (StepResult part : parts) {
            loss += part.loss() * part.size() / batch.size();
        }
        List<NdArray> outputs = new ArrayList<>();
        for (int i = 0; i < parts.get(0).outputs().size(); i++) {
            int output = i;
            outputs.add(RowJoiner.concatenate(
                    parts.stream().map(part -> part.outputs().get(output)).toList()));
        }
        return new StepResult(loss, batch.size(), outputs);
    }

    private static StepResult result(Future<StepResult> part) {
        try {
            return part.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TrainingException("interrupted while threads were at work");
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException known ? known : new IllegalStateException(e.getCause());
        }
    }

    private StepResult part(StepPlan plan, Batch batch, Range share, int worker, int number) {
        Engine.useThreads(1);
        Model model = models.get(worker);
        model.training(true);
        if (worker > 0) {
            model.freezeAs(model());
        }
        model.restartRandomness(recipe.seed(), plan.number(), number, worker);
        try (Scope scope = Scope.open();
                RecordedPass pass = model.record(LocalReplica.tensors(batch.features(), share, model))) {
            Tensor loss = recipe.loss().compute(pass.outputs(), LocalReplica.tensors(batch.labels(), share, model));
            double value = loss.item();
            pass.backward(loss, false);
            Clipping clipping = recipe.optimizer().clipping();
            if (clipping.isOn()) {
                try (NoGradients off = NoGradients.begin()) {
                    clipping.apply(model.vector().gradients());
                }
            }
            updates.get(worker).apply(plan.learningRate());
            return new StepResult(
                    value,
                    Math.toIntExact(share.length()),
                    recipe.metrics().isEmpty() ? List.of() : Evaluator.arrays(pass.outputs()));
        }
    }

    /** Running statistics are each thread's own; between steps all go on from their mean. */
    private void averageStatistics() {
        if (models.size() == 1 || model().state().size() == 0) {
            return;
        }
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            Tensor mean = model().state().values();
            models.stream().skip(1).forEach(each -> mean.add_(each.state().values()));
            mean.mul_(1.0 / models.size());
            models.stream().skip(1).forEach(each -> each.state().values().copy_(mean));
        }
    }

    @Override
    public void regrouped() {
        if (team.group().size() > 1) {
            throw new TrainingException("hogwild() is for threads of one JVM, received "
                    + team.group().size() + " members: expected parameterServer().asynchronous() for several");
        }
    }

    @Override
    public Agreement agreement() {
        return agreement;
    }

    @Override
    public HeldState state() {
        Map<String, Tensor> all = new LinkedHashMap<>();
        for (int i = 0; i < updates.size(); i++) {
            int worker = i;
            updates.get(i).state().forEach((name, tensor) -> all.put(worker + "." + name, tensor));
        }
        return HeldState.whole(all);
    }

    @Override
    public void close() {
        threads.shutdownNow();
        updates.forEach(Update::close);
        model().divided(false);
        models.subList(1, models.size()).forEach(Model::close);
    }
}
