package dev.tutti.train.job;

import dev.tutti.TuttiException;
import dev.tutti.io.AtomicFile;
import dev.tutti.io.FileException;
import dev.tutti.json.ConfigException;
import dev.tutti.json.Json;
import dev.tutti.train.EpochResult;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import dev.tutti.train.checkpoint.ModelChange;
import dev.tutti.train.multitask.TaskLoss;
import dev.tutti.train.run.RunObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Another job that a run of several tasks goes on with while it is under way: with tasks that it did not have, or without some that it had.
 * The request is a file in the run's folder, {@code next-job.yaml}, which the run takes up at the end of an epoch.
 *
 * <p>Order of calls, in the process of the run: it is a callback and a wish to stop of the training; then {@link #take}.
 */
final class JobChange implements Callback, BooleanSupplier {
    private static final Logger LOG = LoggerFactory.getLogger(JobChange.class);

    /** What another job may have otherwise: its tasks and what follows from them. */
    private static final Set<String> MAY_CHANGE = Set.of(
            "model",
            "data",
            "loss",
            "metrics",
            "name",
            "epochs",
            "cores",
            "device",
            "checkpoints",
            "callbacks",
            "output");

    private final RunFolder output;
    private volatile boolean due;

    JobChange(RunFolder output) {
        this.output = output;
    }

    private static Path file(RunFolder output) {
        return output.path().resolve("next-job.yaml");
    }

    /**
     * Asks a run to go on with another job from the next epoch on.
     *
     * @throws ConfigException if the job is wrong, has no tasks, or differs from that of the run in more than tasks and model
     */
    static void request(Path folder, JobFile next) {
        RunFolder output = new RunFolder(folder);
        if (RunObserver.of(folder)
                .status()
                .filter(status -> !status.state().hasEnded())
                .isEmpty()) {
            throw new ConfigException(
                    folder + ": expected the folder of a run that is under way, to give it another job");
        }
        JobFile moved = next.set("output", folder.toString(), "the folder of the run");
        List<String> differences = new EarlierRun(moved.job()).differences(MAY_CHANGE);
        if (!differences.isEmpty()) {
            throw new ConfigException("the run in " + folder
                    + " can go on with other tasks and their part of the model, and nothing else may change: "
                    + String.join("; ", differences));
        }
        if (!(moved.job().config().loss() instanceof TaskLoss)) {
            throw new ConfigException("expected a job with the key tasks for the run in " + folder + " to go on with");
        }
        try (ReadyJob ready = ReadyJob.check(moved)) {
            AtomicFile.write(file(output), Json.writeYaml(ready.job()));
        }
    }

    /** The last step of the epoch was agreed on: a wish to stop from now on ends the run before the first step of the next. */
    @Override
    public void epoch(Run run, EpochResult result) {
        due = Files.exists(file(output));
    }

    /** Whether the run is to stop here. */
    @Override
    public boolean getAsBoolean() {
        return due;
    }

    /**
     * The run has stopped for it: writes the checkpoint that the other job goes on from.
     *
     * @return the job to go on with: the same as before if the other one cannot be taken up
     */
    JobFile take(ReadyJob before) {
        JobFile same = JobFile.read(output.job());
        try {
            JobFile next = JobFile.read(file(output));
            Path checkpoints = new Checkpoints(before.job()).folder();
            Path fresh = checkpoints.resolveSibling(checkpoints.getFileName() + ".next");
            try (ReadyJob after = ReadyJob.check(next)) {
                List<String> anew = ModelChange.write(
                        checkpoints, before.model(), after.model(), after.job().config(), fresh);
                new Checkpoints(before.job()).replaceBy(fresh);
                AtomicFile.write(output.job(), Json.writeYaml(after.job()));
                LOG.info("goes on with another job; new in its model: {}", anew);
            }
            return next;
        } catch (TuttiException e) {
            LOG.warn("goes on as before, as the other job cannot be taken up: {}", e.getMessage());
            return same;
        } finally {
            forget();
        }
    }

    /** A request that came too late, or was taken up. */
    void forget() {
        due = false;
        try {
            Files.deleteIfExists(file(output));
        } catch (IOException e) {
            throw new FileException(file(output).toString(), "cannot be removed: " + e.getMessage(), e);
        }
    }
}
