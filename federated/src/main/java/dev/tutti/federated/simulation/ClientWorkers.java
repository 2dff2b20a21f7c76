package dev.tutti.federated.simulation;

import dev.tutti.TuttiException;
import dev.tutti.federated.FederatedJob;
import dev.tutti.federated.LocalTrainer;
import dev.tutti.nn.Model;
import dev.tutti.tensor.Engine;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Threads that train one simulated client after the other, each with one built model and one core. */
final class ClientWorkers implements AutoCloseable {
    private final FederatedJob job;
    private final ExecutorService threads;
    private final int count;
    private final List<Model> models = new ArrayList<>();
    private final List<LocalTrainer> trainers = new ArrayList<>();
    private final ThreadLocal<LocalTrainer> own = ThreadLocal.withInitial(this::build);

    ClientWorkers(FederatedJob job, int count) {
        this.job = job;
        this.count = count;
        threads = Executors.newFixedThreadPool(count, work -> {
            Thread thread = new Thread(work, "tutti-client");
            thread.setDaemon(true);
            return thread;
        });
    }

    private synchronized LocalTrainer build() {
        Engine.useThreads(1);
        Model model = job.build();
        models.add(model);
        LocalTrainer trainer = new LocalTrainer(model, job.config(), job.personal());
        trainers.add(trainer);
        return trainer;
    }

    int count() {
        return count;
    }

    <T> Future<T> submit(Function<LocalTrainer, T> work) {
        return threads.submit(() -> {
            Engine.useThreads(1);
            return work.apply(own.get());
        });
    }

    /** Waits for a result; what the work threw is thrown here. */
    static <T> T await(Future<T> future) {
        try {
            return future.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TuttiException("the simulation was interrupted", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException known) {
                throw known;
            }
            throw new IllegalStateException(e.getCause());
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
        try {
            if (!threads.awaitTermination(1, TimeUnit.MINUTES)) {
                return; // a thread still computes: its model is left to it
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        trainers.forEach(LocalTrainer::close);
        models.forEach(Model::close);
    }
}
