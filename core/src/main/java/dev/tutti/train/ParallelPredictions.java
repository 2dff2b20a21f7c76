package dev.tutti.train;

import dev.tutti.array.NdArray;
import dev.tutti.data.Batch;
import dev.tutti.data.BatchReader;
import dev.tutti.nn.Model;
import dev.tutti.tensor.Device;
import dev.tutti.tensor.Engine;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Predictions for several batches at the same time, each on one core, by replicas that share the parameters: copies of rows and small
 * operations take all cores too, and no core waits for another within a batch. The first output of each batch comes in the order of
 * the data.
 */
final class ParallelPredictions implements AutoCloseable {
    private static final long CLOSE_SECONDS = 60;

    private final int cores;
    private final ExecutorService threads;
    private final List<Model> replicas = new ArrayList<>();
    private final BlockingQueue<Model> idle;

    private ParallelPredictions(Model model, int cores) {
        this.cores = cores;
        idle = new ArrayBlockingQueue<>(cores);
        threads = Executors.newFixedThreadPool(cores, work -> {
            Thread thread = new Thread(work, "tutti-predictions");
            thread.setDaemon(true);
            return thread;
        });
        for (int i = 1; i < cores; i++) {
            replicas.add(model.replica());
        }
        idle.add(model);
        idle.addAll(replicas);
        idle.forEach(each -> each.training(false));
    }

    /** Whether replicas of a model cost nothing but their buffers. */
    static boolean suit(Model model, int cores) {
        return cores > 1
                && model.options().inference()
                && model.options().device().equals(Device.CPU)
                && model.plan().tables().isEmpty()
                && model.chunks() == 1
                && model.plan().isWhole();
    }

    /**
     * Hands the outputs of all batches to the consumer, on this thread. A single batch is computed here, on all cores.
     *
     * @param model one that {@linkplain #suit suits}; it is used until this returns
     */
    static void run(Model model, int cores, BatchReader reader, Consumer<NdArray> consumer) {
        Optional<Batch> next = reader.next();
        if (next.isEmpty()) {
            return;
        }
        Batch first = next.get();
        next = reader.next();
        if (next.isEmpty()) {
            model.training(false);
            consumer.accept(compute(model, first, cores));
            return;
        }
        try (ParallelPredictions parallel = new ParallelPredictions(model, cores)) {
            Deque<Future<NdArray>> underWay = new ArrayDeque<>();
            underWay.add(parallel.start(first));
            for (; next.isPresent(); next = reader.next()) {
                underWay.add(parallel.start(next.get()));
                if (underWay.size() > 2 * parallel.cores) {
                    consumer.accept(get(underWay.remove()));
                }
            }
            while (!underWay.isEmpty()) {
                consumer.accept(get(underWay.remove()));
            }
        }
    }

    private Future<NdArray> start(Batch batch) {
        return threads.submit(() -> {
            Model replica = idle.take(); // there is one for each thread
            try {
                return compute(replica, batch, 1);
            } finally {
                idle.add(replica);
            }
        });
    }

    private static NdArray compute(Model model, Batch batch, int cores) {
        Engine.useThreads(cores);
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            List<Tensor> inputs = batch.features().stream().map(Tensor::of).toList();
            return model.forward(inputs).get(0).toArray();
        }
    }

    private static NdArray get(Future<NdArray> output) {
        try {
            return output.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            if (e.getCause() instanceof Error cause) {
                throw cause;
            }
            throw new CompletionException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TrainingException("interrupted while it predicted");
        }
    }

    /** Returns when no thread uses the model any more. */
    @Override
    public void close() {
        threads.shutdownNow();
        boolean interrupted = false;
        boolean ended = false;
        for (int tries = 0; !ended && tries < 2; tries++) {
            try {
                ended = threads.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (ended) {
            replicas.forEach(Model::close);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
