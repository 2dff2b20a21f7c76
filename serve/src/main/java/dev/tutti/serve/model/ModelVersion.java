package dev.tutti.serve.model;

import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.serve.batch.BatchFunction;
import dev.tutti.serve.batch.BatchListener;
import dev.tutti.serve.batch.DynamicBatcher;
import dev.tutti.train.Evaluation;
import dev.tutti.train.checkpoint.ModelDescription;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * One version of a model that is ready to compute, and the batcher that feeds it.
 *
 * <p>A user calls {@link #acquire} first and {@link #release} when its answer is out; {@link #close} waits for all of them, so a
 * version is never closed under a request.
 */
public final class ModelVersion implements AutoCloseable {
    private final String name;
    private final long number;
    private final LoadedModel model;
    private final ModelDescription saved;
    private final ModelSignature signature;
    private final ClassNames classes;
    private final FeatureSteps features;
    private final NamedRowInputs rows;
    private final DynamicBatcher batcher;
    private int users;
    private boolean retired;

    /**
     * Loads a version and warms it up: every function of it has computed before the first request comes.
     *
     * @throws dev.tutti.TuttiException if the folder holds no whole model
     */
    static ModelVersion load(String name, long number, Path folder, ServingSettings settings, BatchListener listener) {
        LoadedModel model = settings.loader()
                .map(loader -> loader.load(folder))
                .orElseGet(() -> ReplicatedModel.load(folder, settings));
        try {
            return new ModelVersion(name, number, model, settings, listener);
        } catch (RuntimeException | Error e) {
            model.close();
            throw e;
        }
    }

    private ModelVersion(
            String name, long number, LoadedModel model, ServingSettings settings, BatchListener listener) {
        this.name = name;
        this.number = number;
        this.model = model;
        saved = model.description();
        signature = ModelSignature.of(saved.plan(), saved.features().transforms());
        classes = ClassNames.of(saved);
        rows = NamedRowInputs.of(saved.features().transforms());
        features = new FeatureSteps(rows.behind(), saved.plan().inputs(), signature);
        List<BatchFunction> functions = model.functions();
        functions.forEach(this::warmUp);
        batcher = new DynamicBatcher(name + " " + number, settings.batching(), functions, listener);
    }

    private void warmUp(BatchFunction function) {
        boolean known =
                saved.plan().inputs().stream().allMatch(input -> input.shape().isKnown());
        if (!known) {
            return; // sequences of any length: the first request prepares what it needs
        }
        for (int rows : new int[] {1, 2}) {
            List<NdArray> zeros = saved.plan().inputs().stream()
                    .map(input -> NdArray.zeros(input.type(), input.shape().prepend(rows)))
                    .toList();
            function.apply(zeros);
        }
    }

    public String name() {
        return name;
    }

    public long number() {
        return number;
    }

    public ModelSignature signature() {
        return signature;
    }

    public ClassNames classes() {
        return classes;
    }

    /** How good it was when it was saved, where that is known. */
    public Optional<Evaluation> metrics() {
        return Optional.ofNullable(saved.metrics());
    }

    /** When it was saved. */
    public String madeAt() {
        return saved.made().at();
    }

    /** Bytes of its parameters and buffers, which all replicas share. */
    public long parameterBytes() {
        return saved.plan().bytes();
    }

    /** The shape of one row of the first input. */
    public Shape inputShape() {
        return saved.plan().inputs().get(0).shape();
    }

    public int queuedRows() {
        return batcher.queuedRows();
    }

    /** How rows with named columns become inputs and outputs become answers; of a model for a table. */
    public NamedRowInputs namedRows() {
        return rows;
    }

    /**
     * Computes the outputs for raw rows: features first, then the model.
     *
     * @throws dev.tutti.serve.ServeException if the rows do not fit the model, or too many wait
     */
    public CompletableFuture<List<NdArray>> infer(List<NdArray> rows, Duration limit) {
        return batcher.submit(features.apply(rows), limit);
    }

    /**
     * Requires that raw rows fit the model.
     *
     * @throws dev.tutti.serve.ServeException if they do not; it says why
     */
    public void requireFitting(List<NdArray> rows) {
        features.apply(rows);
    }

    /** Keeps the version open; false if it is being closed, and another one is to be chosen. */
    synchronized boolean acquire() {
        if (retired) {
            return false;
        }
        users++;
        return true;
    }

    synchronized void release() {
        users--;
        notifyAll();
    }

    /** Waits until all users have released it, for the given time at most, then frees its memory. */
    void close(Duration patience) {
        long deadline = System.nanoTime() + patience.toNanos();
        synchronized (this) {
            retired = true;
            while (users > 0 && System.nanoTime() - deadline < 0) {
                try {
                    wait(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    break;
                }
            }
        }
        batcher.close();
        model.close();
    }

    @Override
    public void close() {
        close(Duration.ZERO);
    }

    @Override
    public String toString() {
        return name + " version " + number;
    }
}
