package dev.tutti.train;

import dev.tutti.data.Batch;
import dev.tutti.nn.Model;
import dev.tutti.optim.Update;
import dev.tutti.tensor.Engine;
import dev.tutti.tensor.FlatVector;
import dev.tutti.tensor.NdArray;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Range;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;

/**
 * Several workers on threads of this JVM: each takes its share of every batch on one core. They share the parameters and have
 * gradients of their own, which are summed in plain memory, each thread summing its part of the vector.
 *
 * <p>The result is that of one worker with the whole batch, but for the order in which floats are added and for layers that look
 * at the batch (batch norm sees its share; running statistics are averaged). It depends on the number of workers, not on which
 * of them is faster.
 */
final class ThreadReplica implements Replica {
    private final List<Model> models = new ArrayList<>();
    private final Recipe recipe;
    private final Update update;
    private final ExecutorService threads;
    private int batches;
    private double samples;

    ThreadReplica(Model model, Recipe recipe, int workers) {
        this.recipe = recipe;
        models.add(model);
        for (int i = 1; i < workers; i++) {
            models.add(model.replica());
        }
        update = LocalReplica.bind(model, recipe);
        threads = Executors.newFixedThreadPool(workers, work -> {
            Thread thread = new Thread(work, "tutti-worker");
            thread.setDaemon(true);
            return thread;
        });
    }

    @Override
    public Model model() {
        return models.get(0);
    }

    @Override
    public StepResult accumulate(Batch batch, long step) {
        recipe.loss().check(batch.labels(), model().outputs());
        if (batches == 1) {
            scaleGradients(samples); // from here on gradients are sums over samples, divided in update()
        }
        int workers = Math.min(models.size(), batch.size());
        boolean add = batches > 0;
        List<StepResult> parts =
                together(workers, worker -> backward(worker, share(batch, worker, workers), batch, step, add));
        together(workers, part -> sum(part, workers));
        batches++;
        samples += batch.size();
        double loss = 0;
        for (StepResult part : parts) {
            loss += part.loss() * part.size() / batch.size();
        }
        List<NdArray> outputs = new ArrayList<>();
        for (int i = 0; i < parts.get(0).outputs().size(); i++) {
            int output = i;
            outputs.add(Rows.concatenate(
                    parts.stream().map(part -> part.outputs().get(output)).toList()));
        }
        return new StepResult(loss, batch.size(), outputs);
    }

    private StepResult backward(int worker, Batch share, Batch whole, long step, boolean add) {
        Engine.useThreads(1);
        Model model = models.get(worker);
        model.training(true);
        model.freezeAs(model());
        model.restartRandomness(recipe.seed(), step, batches, worker);
        try (Scope scope = Scope.open()) {
            List<Tensor> outputs = model.forward(LocalReplica.tensors(share.features(), model));
            Tensor loss = recipe.loss().compute(outputs, LocalReplica.tensors(share.labels(), model));
            double weight = add ? share.size() : (double) share.size() / whole.size();
            // Only the first worker's gradients live on from batch to batch.
            model.vector().backward(loss.mul(weight), add && worker == 0);
            List<NdArray> arrays = recipe.metrics().isEmpty() ? List.of() : Evaluator.arrays(outputs);
            return new StepResult(loss.item(), share.size(), arrays);
        }
    }

    /** Adds the other workers' gradients of one part of the vector to the first one's, always in the same order. */
    private Void sum(int part, int workers) {
        FlatVector first = model().vector();
        Range range = first.all().part(part, workers);
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            for (int worker = 1; worker < workers; worker++) {
                first.gradients(range).add_(models.get(worker).vector().gradients(range));
            }
        }
        return null;
    }

    private static Batch share(Batch batch, int worker, int workers) {
        Range rows = new Range(0, batch.size()).part(worker, workers);
        return new Batch(rows(batch.features(), rows), rows(batch.labels(), rows), Math.toIntExact(rows.length()));
    }

    private static List<NdArray> rows(List<NdArray> arrays, Range rows) {
        return arrays.stream()
                .map(array -> array.rows(Math.toIntExact(rows.from()), Math.toIntExact(rows.to())))
                .toList();
    }

    /** Does the work of each worker on a thread and waits for all of them; the first failure comes out. */
    private <T> List<T> together(int workers, IntFunction<T> work) {
        List<Future<T>> running = new ArrayList<>();
        for (int i = 0; i < workers; i++) {
            int worker = i;
            running.add(threads.submit(() -> work.apply(worker)));
        }
        List<T> results = new ArrayList<>();
        RuntimeException failure = null;
        for (Future<T> future : running) {
            try {
                results.add(future.get());
            } catch (ExecutionException e) {
                failure = failure == null ? rethrown(e.getCause()) : failure;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                failure = failure == null ? new TrainingException("training was interrupted") : failure;
            }
        }
        if (failure != null) {
            throw failure;
        }
        return results;
    }

    private static RuntimeException rethrown(Throwable cause) {
        if (cause instanceof Error error) {
            throw error;
        }
        return (RuntimeException) cause;
    }

    @Override
    public void update(double learningRate) {
        if (batches > 1) {
            scaleGradients(1 / samples);
        }
        batches = 0;
        samples = 0;
        averageStatistics();
        LocalReplica.clip(recipe, model());
        update.apply(learningRate);
    }

    private void scaleGradients(double factor) {
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            model().vector().gradients().mul_(factor);
        }
    }

    private void averageStatistics() {
        if (model().state().size() == 0) {
            return;
        }
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            Tensor mean = model().state().values();
            for (int i = 1; i < models.size(); i++) {
                mean.add_(models.get(i).state().values());
            }
            mean.mul_(1.0 / models.size());
            for (int i = 1; i < models.size(); i++) {
                models.get(i).state().values().copy_(mean);
            }
        }
    }

    @Override
    public Map<String, Tensor> state() {
        return update.state();
    }

    @Override
    public void close() {
        threads.shutdown();
        update.close();
        models.subList(1, models.size()).forEach(Model::close);
    }
}
