package dev.tutti.train.job;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tutti.json.Json;
import dev.tutti.train.Callbacks;
import dev.tutti.train.Fit;
import dev.tutti.train.Run;
import dev.tutti.train.Strategy;
import dev.tutti.train.Workplace;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/**
 * Trains a job twice, with the same seed and data: as its cluster and strategy say, and on one worker with the whole batch. Says
 * how far the two are apart.
 *
 * <p>Nothing is written: no checkpoint, no model. Dropout is switched off, as every worker draws its own.
 */
public final class Parity {
    private final JobFile file;
    private final long steps;
    private final double tolerance;
    private final List<String> notes = new ArrayList<>();

    private Parity(JobFile file, long steps, double tolerance) {
        this.file = file;
        this.steps = steps;
        this.tolerance = tolerance;
    }

    /**
     * Compares over so many steps, or as many as the job has.
     *
     * @param tolerance the largest relative difference that still counts as agreement
     * @param interrupted asked after each step; true ends it early with what there is
     * @throws dev.tutti.json.ConfigException if the job is wrong, or has only one worker
     */
    public static ParityResult check(JobFile file, long steps, double tolerance, BooleanSupplier interrupted) {
        return new Parity(file, steps, tolerance).check(interrupted);
    }

    private ParityResult check(BooleanSupplier interrupted) {
        Job job = file.job();
        if (job.strategy().getClass() == Strategy.local().getClass()) {
            throw file.problem(
                    "/strategy",
                    "there is nothing to compare: the job trains on one worker. Say where it is to run, such as"
                            + " cluster: {type: threads, workers: 2}");
        }
        JobFile even = withoutDropout();
        Course several = course(even, job.cluster(), job.strategy(), run -> run.step() >= steps, interrupted);
        long samples = several.points().isEmpty() ? 0 : several.last().samples();
        Course one = course(even, Workplace.here(), Strategy.local(), run -> run.samplesSeen() >= samples, interrupted);
        return compare(several, one);
    }

    private ParityResult compare(Course several, Course one) {
        Job job = file.job();
        ParityResult.Difference parameters = several.parametersFrom(one);
        ParityResult.Difference losses = several.lossesFrom(one);
        boolean agrees = parameters.relative() <= tolerance && losses.relative() <= tolerance;
        if (several.last().step() < steps) {
            notes.add("the job has " + several.last().step() + " steps, fewer than the " + steps + " asked for");
        }
        if (!job.strategy().exact()) {
            notes.add(job.strategy() + " is not exact by nature: what counts is how far apart the two are, and how good"
                    + " the model becomes");
        }
        return new ParityResult(
                job.cluster().toString(),
                job.strategy().toString(),
                several.last().step(),
                several.last().samples(),
                agrees,
                tolerance,
                job.strategy().exact(),
                parameters,
                losses,
                notes);
    }

    private static Course course(
            JobFile file, Workplace cluster, Strategy strategy, Predicate<Run> end, BooleanSupplier interrupted) {
        try (ReadyJob ready = ReadyJob.check(file)) {
            Course course = new Course(end);
            Fit fit = Fit.epochs(ready.job().epochs())
                    .accumulate(ready.job().accumulate())
                    .on(cluster)
                    .with(strategy)
                    .until(interrupted)
                    .callbacks(Callbacks.stopOnNan(), course);
            ready.trainer().fit(ready.train(), fit);
            return course;
        }
    }

    /** The job without what every worker draws for itself; what cannot be mended is noted. */
    private JobFile withoutDropout() {
        JobModel model = file.job().model();
        if (model == null) {
            return file; // the check says it better
        }
        if (model.definition().isEmpty()) {
            notes.add("the model was saved before: if it has dropout, every worker draws its own and the two differ");
            return file;
        }
        JsonNode definition = Json.json().valueToTree(model.definition().get());
        Randomless even = new Randomless(definition);
        if (even.has("batchNorm")) {
            notes.add("batch norm measures each worker's share of a batch, unless its statistics are synchronised");
        }
        if (even.has("torchScript")) {
            notes.add("a TorchScript module may hold dropout of its own, which stays on");
        }
        if (even.dropouts() == 0) {
            return file;
        }
        notes.add("dropout was switched off in both (" + even.dropouts() + (even.dropouts() == 1 ? " layer" : " layers")
                + "): every worker draws its own");
        return file.set("model", even.definition().toString(), "the model without dropout");
    }
}
