package dev.tutti.estimator;

import dev.tutti.io.AtomicFile;
import dev.tutti.json.Json;
import dev.tutti.train.Evaluation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;

/** The usual exporters. */
public final class Exporters {
    private Exporters() {}

    /** Saves the model once, when training ends. */
    public static Exporter atEnd(Path folder) {
        return (estimator, evaluation, step, last) -> {
            if (last) {
                estimator.export(folder);
            }
        };
    }

    /** Saves the model after every evaluation into {@code step-N} of a folder; of those it has saved, the last ones are kept. */
    public static Exporter latest(Path folder, int keep) {
        if (keep < 1) {
            throw new EstimatorException("latest: expected 1 model or more to keep, received " + keep);
        }
        Deque<Path> saved = new ArrayDeque<>();
        return (estimator, evaluation, step, last) -> {
            Path target = folder.resolve("step-" + step);
            estimator.export(target);
            saved.remove(target);
            saved.add(target);
            while (saved.size() > keep) {
                delete(saved.remove());
            }
        };
    }

    private static void delete(Path folder) {
        try (var paths = Files.walk(folder)) {
            for (Path path : paths.sorted(java.util.Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        } catch (java.io.IOException e) {
            throw new EstimatorException(folder + ": an exported model cannot be deleted: " + e.getMessage());
        }
    }

    /** Saves the model whenever its loss is the least so far, also counting what an earlier run has saved there. */
    public static Exporter best(Path folder) {
        return best(folder, "loss", false);
    }

    /**
     * Saves the model whenever a metric is the best so far, also counting what an earlier run has saved there.
     *
     * @param metric {@code loss}, or the name of a metric of the model function
     * @param higherIsBetter false for errors
     */
    public static Exporter best(Path folder, String metric, boolean higherIsBetter) {
        return (estimator, evaluation, step, last) -> {
            Path noted = folder.resolveSibling(folder.getFileName() + ".json");
            double value = value(evaluation, metric);
            if (Files.exists(noted)) {
                double before = Json.read(noted, Best.class).value();
                if (!(higherIsBetter ? value > before : value < before)) {
                    return;
                }
            }
            estimator.export(folder);
            AtomicFile.write(noted, Json.write(new Best(metric, value, step)));
        };
    }

    private record Best(String metric, double value, long step) {}

    private static double value(Evaluation evaluation, String metric) {
        if (metric.equals("loss")) {
            return evaluation.loss();
        }
        Double value = evaluation.metrics().get(metric);
        if (value == null) {
            throw new EstimatorException("best: there is no metric '" + metric + "': expected loss or one of "
                    + evaluation.metrics().keySet());
        }
        return value;
    }
}
