package dev.tutti.jobs.predict;

import dev.tutti.TuttiException;
import dev.tutti.cluster.launch.ChildJvm;
import dev.tutti.data.Dataset;
import dev.tutti.io.AtomicFile;
import dev.tutti.io.FileException;
import dev.tutti.nn.ComputePrecision;
import dev.tutti.tensor.Engine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import java.util.stream.Stream;

/**
 * Predictions for a whole data set by several processes. Each row is predicted exactly once, and the lines are in the order of the data,
 * also when processes are killed. What was done is kept beside the output until all is: the same call goes on with it.
 *
 * <pre>{@code
 * BatchPrediction.of(Path.of("runs/mnist/model"), Mnist.test()).processes(4).write(Path.of("digits.csv"));
 * }</pre>
 */
public final class BatchPrediction {
    /** Some hundred milliseconds of work for small models: little is lost with a process, and little spent on parts. */
    private static final int PART_ROWS = 4_096;

    /** Deaths of processes that are answered by another one; a defect that kills all of them is not repeated for ever. */
    private static final int MOST_RESTARTS = 8;

    private static final long LOOK_MILLIS = 50;

    private final Path model;
    private final Dataset data;
    private final int processes;
    private final int partRows;
    private final ComputePrecision precision;
    private final BooleanSupplier stop;
    private final LongConsumer progress;

    private BatchPrediction(
            Path model,
            Dataset data,
            int processes,
            int partRows,
            ComputePrecision precision,
            BooleanSupplier stop,
            LongConsumer progress) {
        if (processes < 1 || partRows < 1) {
            throw new TuttiException(
                    "expected 1 process and 1 row of a part or more, received " + processes + " and " + partRows);
        }
        this.model = model;
        this.data = data;
        this.processes = processes;
        this.partRows = partRows;
        this.precision = precision;
        this.stop = stop;
        this.progress = progress;
    }

    /**
     * @param model the folder of a saved model
     * @param data that can be written as JSON, since other processes read it
     */
    public static BatchPrediction of(Path model, Dataset data) {
        return new BatchPrediction(model, data, 1, PART_ROWS, ComputePrecision.FLOAT32, () -> false, parts -> {});
    }

    /** JVMs that work side by side; they divide the cores of this machine. */
    public BatchPrediction processes(int count) {
        return new BatchPrediction(model, data, count, partRows, precision, stop, progress);
    }

    /** Rows that are written at once. */
    public BatchPrediction partRows(int rows) {
        return new BatchPrediction(model, data, processes, rows, precision, stop, progress);
    }

    /** What the model multiplies in; float32 by default. */
    public BatchPrediction precision(ComputePrecision choice) {
        return new BatchPrediction(model, data, processes, partRows, choice, stop, progress);
    }

    /** Asked several times a second; true ends the prediction, and the next call goes on with it. */
    public BatchPrediction until(BooleanSupplier wanted) {
        return new BatchPrediction(model, data, processes, partRows, precision, wanted, progress);
    }

    /** Told how many parts are done whenever that has changed. */
    public BatchPrediction progress(LongConsumer listener) {
        return new BatchPrediction(model, data, processes, partRows, precision, stop, listener);
    }

    /**
     * Predicts all rows, and writes the file when all are done.
     *
     * @param output ends with {@code .csv} or {@code .jsonl}
     * @return the rows; empty if it was stopped
     * @throws TuttiException if the model or the data cannot be read, the parts beside the output are those of another prediction,
     *     or processes keep dying
     */
    public OptionalLong write(Path output) {
        PredictionSpec spec = PredictionSpec.of(model, data, partRows, PredictionFormat.of(output), precision);
        PredictionFolder folder = PredictionFolder.beside(output);
        folder.readSpec().filter(known -> !known.equals(spec)).ifPresent(known -> {
            throw new TuttiException(folder.path() + " holds parts of another prediction (of " + known.model()
                    + "): remove it, or choose another output");
        });
        folder.write(spec);
        folder.forgetFailure();
        if (!compute(folder)) {
            return OptionalLong.empty();
        }
        long rows = join(folder, output);
        delete(folder.path());
        return OptionalLong.of(rows);
    }

    private boolean compute(PredictionFolder folder) {
        List<Process> running = new ArrayList<>();
        try {
            for (int i = 0; i < processes; i++) {
                running.add(start(folder, i));
            }
            long told = -1;
            int restarts = 0;
            while (!isDone(folder) || running.stream().anyMatch(Process::isAlive)) {
                if (stop.getAsBoolean()) {
                    return false;
                }
                folder.failure().ifPresent(failure -> {
                    throw new TuttiException(failure.message());
                });
                for (int i = 0; i < running.size(); i++) {
                    if (!running.get(i).isAlive() && !isDone(folder) && noneAliveOrDied(running, i)) {
                        if (++restarts > MOST_RESTARTS) {
                            throw new TuttiException("processes of the prediction died " + restarts
                                    + " times: the logs in " + folder.path() + " may say why. What is done is kept");
                        }
                        running.set(i, start(folder, i));
                    }
                }
                long done = done(folder);
                if (done != told) {
                    told = done;
                    progress.accept(done);
                }
                Thread.sleep(LOOK_MILLIS);
            }
            progress.accept(done(folder));
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            end(running);
        }
    }

    /** A process that was killed is replaced at once; one that found nothing to claim only when no other one is left. */
    private static boolean noneAliveOrDied(List<Process> running, int place) {
        return running.get(place).exitValue() != 0 || running.stream().noneMatch(Process::isAlive);
    }

    private Process start(PredictionFolder folder, int place) {
        int cores = Math.max(1, Engine.cores() / processes);
        return ChildJvm.of(
                        PredictionProcessMain.class.getName(),
                        "predict-" + place,
                        List.of(folder.path().toString(), Integer.toString(cores)))
                .startDetachedWithoutInput(folder.log(place));
    }

    private static void end(List<Process> running) {
        running.forEach(Process::destroyForcibly);
        for (Process process : running) {
            try {
                process.waitFor(10, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private static boolean isDone(PredictionFolder folder) {
        OptionalLong parts = folder.parts();
        return parts.isPresent() && done(folder) >= parts.getAsLong();
    }

    private static long done(PredictionFolder folder) {
        try (Stream<Path> files = Files.list(folder.path())) {
            return files.filter(file -> file.getFileName().toString().matches("part-[0-9]+"))
                    .count();
        } catch (IOException e) {
            throw new FileException(folder.path().toString(), "cannot be read: " + e.getMessage());
        }
    }

    /** Puts the parts together in their order; the rows that they hold. */
    private static long join(PredictionFolder folder, Path output) {
        long parts = folder.parts().orElseThrow();
        long[] lines = {0};
        AtomicFile.write(output, out -> {
            for (long part = 0; part < parts; part++) {
                byte[] bytes = Files.readAllBytes(folder.part(part));
                out.write(bytes);
                for (byte each : bytes) {
                    lines[0] += each == '\n' ? 1 : 0;
                }
            }
        });
        boolean header = PredictionFormat.of(output) == PredictionFormat.CSV && lines[0] > 0;
        return header ? lines[0] - 1 : lines[0];
    }

    private static void delete(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new FileException(folder.toString(), "cannot be removed: " + e.getMessage());
        }
    }
}
