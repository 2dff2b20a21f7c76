package dev.tutti.estimator;

import dev.tutti.train.Launcher;
import dev.tutti.train.replica.Strategy;
import java.nio.file.Path;
import java.util.Objects;

/**
 * Where and how an estimator runs.
 *
 * @param modelDir its folder: checkpoints, summaries and the model
 * @param seed what all that is random follows from
 * @param saveSummarySteps steps between summaries for TensorBoard; 0 for none
 * @param saveCheckpointsSteps steps between checkpoints; 0 for the end of each epoch only
 * @param keepCheckpointMax checkpoints to keep
 * @param cluster where it runs
 * @param strategy how members agree
 */
public record RunConfig(
        Path modelDir,
        long seed,
        long saveSummarySteps,
        long saveCheckpointsSteps,
        int keepCheckpointMax,
        Launcher cluster,
        Strategy strategy) {
    public RunConfig {
        Objects.requireNonNull(modelDir, "an estimator needs a model folder");
        if (keepCheckpointMax < 1 || saveSummarySteps < 0 || saveCheckpointsSteps < 0) {
            throw new EstimatorException(
                    "RunConfig: expected 1 checkpoint or more to keep and steps of 0 or more, received "
                            + keepCheckpointMax + ", " + saveSummarySteps + " and " + saveCheckpointsSteps);
        }
    }

    /** Defaults: summaries every 100 steps, five checkpoints, one member in this JVM. */
    public static RunConfig in(Path modelDir) {
        return new RunConfig(modelDir, 0, 100, 0, 5, Launcher.here(), Strategy.local());
    }

    public RunConfig seed(long value) {
        return new RunConfig(
                modelDir, value, saveSummarySteps, saveCheckpointsSteps, keepCheckpointMax, cluster, strategy);
    }

    public RunConfig saveSummarySteps(long steps) {
        return new RunConfig(modelDir, seed, steps, saveCheckpointsSteps, keepCheckpointMax, cluster, strategy);
    }

    public RunConfig saveCheckpointsSteps(long steps) {
        return new RunConfig(modelDir, seed, saveSummarySteps, steps, keepCheckpointMax, cluster, strategy);
    }

    public RunConfig keepCheckpointMax(int count) {
        return new RunConfig(modelDir, seed, saveSummarySteps, saveCheckpointsSteps, count, cluster, strategy);
    }

    /** Where training runs, and how its members agree. */
    public RunConfig on(Launcher place, Strategy choice) {
        return new RunConfig(modelDir, seed, saveSummarySteps, saveCheckpointsSteps, keepCheckpointMax, place, choice);
    }

    Path checkpoints() {
        return modelDir.resolve("checkpoints");
    }

    Path model() {
        return modelDir.resolve("model");
    }

    Path summaries() {
        return modelDir.resolve("summaries");
    }

    Path state() {
        return modelDir.resolve("estimator.json");
    }
}
