package dev.tutti.plan.profile;

import dev.tutti.TuttiException;
import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.data.Batch;
import dev.tutti.data.BatchReader;
import dev.tutti.data.Dataset;
import dev.tutti.optim.Optimizer;
import dev.tutti.optim.Target;
import dev.tutti.optim.Update;
import dev.tutti.plan.JobProfile;
import dev.tutti.plan.LayerProfile;
import dev.tutti.plan.RowCurve;
import dev.tutti.plan.WireCosts;
import dev.tutti.tensor.Device;
import dev.tutti.tensor.vector.FlatVector;
import dev.tutti.train.job.ReadyJob;
import dev.tutti.train.worker.BackwardOverlap;
import dev.tutti.train.worker.LocalWorkers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Measures a job's step on this machine: passes of real batches of several sizes, the update, reading, every layer on its own, a checkpoint
 * and the software of messages. The model's parameters move while it is measured; it is thrown away afterwards.
 */
public final class JobProfiler {
    private static final double MOST_FEED_SECONDS = 2;
    private static final long CHECKPOINT_SAMPLE_BYTES = 32L << 20;

    private final ReadyJob job;
    private final int workers;
    private final double seconds;

    /**
     * @param workers threads of a member
     * @param seconds that the measurement of passes may take
     */
    public JobProfiler(ReadyJob job, int workers, double seconds) {
        this.job = job;
        this.workers = workers;
        this.seconds = seconds;
    }

    public JobProfile measure() {
        return measure(WireMeasurement.measure());
    }

    JobProfile measure(WireCosts wire) {
        Dataset data = job.train();
        int batchRows = data.batchSize().orElse(1);
        double feed = feedSecondsPerRow(data);
        Batch batch = firstBatch(data);
        List<RowCurve.Point> points = new ArrayList<>();
        double update;
        try (LocalWorkers threads = new LocalWorkers(job.model(), job.job().config(), workers)) {
            threads.amongOthers(true); // layers compute as they do in a group
            TreeSet<Integer> sizes = sizes(batch.size());
            for (int rows : sizes) {
                points.add(new RowCurve.Point(rows, passSeconds(threads, batch, rows, seconds / sizes.size())));
            }
            update = updateSeconds(threads, batch);
        }
        List<LayerProfile> layers = LayerMeasurement.measure(job.model().plan(), Math.max(1, batch.size() / workers));
        long parameters = job.model().vector().size();
        int width = job.model().vector().type().bytes();
        int vectors = stateVectors(job.job().config().optimizer());
        return new JobProfile(
                job.job().name(),
                workers,
                batchRows,
                data.size(),
                job.job().epochs(),
                parameters,
                width,
                vectors,
                !job.job().config().metrics().isEmpty(),
                new RowCurve(points),
                update,
                feed,
                layers,
                checkpointSeconds(parameters * width * (1 + vectors)),
                wire);
    }

    /** One row, the whole batch and halvings of it: shares of few rows take more time for each. */
    private static TreeSet<Integer> sizes(int batch) {
        TreeSet<Integer> sizes = new TreeSet<>(List.of(1));
        for (int rows = batch; rows > 1; rows /= 4) {
            sizes.add(rows);
            sizes.add(Math.max(1, rows / 2));
        }
        return sizes;
    }

    private static Batch firstBatch(Dataset data) {
        try (BatchReader reader = data.open(0)) {
            return reader.next()
                    .orElseThrow(() -> new TuttiException("the training data has no rows: nothing can be profiled"));
        }
    }

    private static double feedSecondsPerRow(Dataset data) {
        try (BatchReader reader = data.open(0)) {
            reader.next(); // opens files
            long began = System.nanoTime();
            long rows = 0;
            double spent = 0;
            while (spent < MOST_FEED_SECONDS && rows < 20_000) {
                Optional<Batch> batch = reader.next();
                if (batch.isEmpty()) {
                    break;
                }
                rows += batch.get().size();
                spent = (System.nanoTime() - began) / 1e9;
            }
            return rows == 0 ? 0 : spent / rows;
        }
    }

    private static Batch first(Batch batch, int rows) {
        return new Batch(cut(batch.features(), rows), cut(batch.labels(), rows), rows);
    }

    private static List<NdArray> cut(List<NdArray> arrays, int rows) {
        return arrays.stream().map(array -> array.rows(0, rows)).toList();
    }

    /** The median of passes, after two that warm up. */
    private static double passSeconds(LocalWorkers threads, Batch batch, int rows, double limit) {
        Batch part = rows == batch.size() ? batch : first(batch, rows);
        List<Double> measured = new ArrayList<>();
        long start = System.nanoTime();
        for (int i = 0; i < 2 || measured.size() < 5 || (System.nanoTime() - start) / 1e9 < limit; i++) {
            long began = System.nanoTime();
            threads.backward(part, new LocalWorkers.Turn(i, 0, 0, rows), BackwardOverlap.NONE);
            threads.gradients();
            if (i >= 2) {
                measured.add((System.nanoTime() - began) / 1e9);
            }
            if (measured.size() >= 5 && (System.nanoTime() - start) / 1e9 > 4 * limit) {
                break;
            }
        }
        return median(measured);
    }

    private static double updateSeconds(LocalWorkers threads, Batch batch) {
        Batch row = first(batch, 1);
        List<Double> measured = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            threads.backward(row, new LocalWorkers.Turn(i, 0, 0, 1), BackwardOverlap.NONE);
            long began = System.nanoTime();
            threads.update(1e-9, 1);
            measured.add((System.nanoTime() - began) / 1e9);
        }
        return median(measured.subList(2, measured.size()));
    }

    static double median(List<Double> values) {
        double[] sorted = values.stream().mapToDouble(Double::doubleValue).toArray();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    private static int stateVectors(Optimizer optimizer) {
        try (FlatVector vector = new FlatVector(1, DType.FLOAT32, Device.CPU);
                Update update = optimizer.bind(Target.all(vector, List.of()))) {
            return (int) update.state().values().stream()
                    .filter(tensor -> tensor.rank() > 0)
                    .count();
        }
    }

    /** Writes as many bytes to the disk of temporary files, or a part of them, and waits until they are there. */
    private static double checkpointSeconds(long bytes) {
        long sample = Math.max(1, Math.min(bytes, CHECKPOINT_SAMPLE_BYTES));
        Path file = null;
        try {
            file = Files.createTempFile("tutti-profile", ".bin");
            long began = System.nanoTime();
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                ByteBuffer piece = ByteBuffer.allocateDirect((int) Math.min(sample, 1 << 20));
                for (long written = 0; written < sample; ) {
                    piece.rewind();
                    written += channel.write(piece);
                }
                channel.force(true);
            }
            return (System.nanoTime() - began) / 1e9 * bytes / sample;
        } catch (IOException e) {
            throw new TuttiException("a temporary file cannot be written: " + e.getMessage(), e);
        } finally {
            if (file != null) {
                file.toFile().delete();
            }
        }
    }
}
