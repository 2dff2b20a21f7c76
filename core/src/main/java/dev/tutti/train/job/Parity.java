package dev.tutti.train.job;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tutti.json.Json;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.train.Fit;
import dev.tutti.train.Launcher;
import dev.tutti.train.callback.Callbacks;
import dev.tutti.train.callback.Run;
import dev.tutti.train.job.ParityResult.Difference;
import dev.tutti.train.replica.Strategy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Trains a job twice, with the same seed and data: as its cluster and strategy say, and on one worker with the whole batch. Says
 * how far the two are apart.
 *
 * <p>Even the same numbers added in another order drift apart, in models with kinks such as ReLU's by much. So where the two are
 * further apart than the tolerance it is measured how far rounding alone leads: by workers on their own whose first parameters
 * are moved by a last bit. Nothing is written: no checkpoint, no model. Dropout is switched off, as every worker draws its own.
 */
public final class Parity {
    /** Rounding happens in every step, but to the yardsticks only once; and how far it leads is a matter of luck. */
    private static final double ROUNDING_ALLOWED = 10;

    private static final double LAST_BIT = 0x1p-23;

    private final JobFile file;
    private final long steps;
    private final double tolerance;
    private final BooleanSupplier interrupted;
    private final List<String> notes = new ArrayList<>();

    private Parity(JobFile file, long steps, double tolerance, BooleanSupplier interrupted) {
        this.file = file;
        this.steps = steps;
        this.tolerance = tolerance;
        this.interrupted = interrupted;
    }

    /**
     * Compares over so many steps, or as many as the job has.
     *
     * @param tolerance the largest relative difference that counts as agreement in any case
     * @param interrupted asked after each step; true ends it early
     * @return empty when it was interrupted
     * @throws dev.tutti.json.ConfigException if the job is wrong, or has only one worker
     */
    public static Optional<ParityResult> check(
            JobFile file, long steps, double tolerance, BooleanSupplier interrupted) {
        return new Parity(file, steps, tolerance, interrupted).check();
    }

    private Optional<ParityResult> check() {
        Job job = file.job();
        if (job.strategy().getClass() == Strategy.local().getClass()) {
            throw file.problem(
                    "/strategy",
                    "there is nothing to compare: the job trains on one worker. Say where it is to run, such as"
                            + " cluster: {type: threads, workers: 2}");
        }
        JobFile even = withoutDropout();
        LossCurve several = together(even, steps);
        if (interrupted.getAsBoolean()) {
            return Optional.empty();
        }
        long samples = several.last().samples();
        LossCurve one = alone(even, 0, samples);
        Difference parameters = several.parametersFrom(one);
        Difference losses = several.lossesFrom(one, Long.MAX_VALUE);
        boolean near = parameters.relative() <= tolerance && losses.relative() <= tolerance;
        Difference rounding = null;
        boolean agrees = near;
        if (!near && !interrupted.getAsBoolean()) {
            if (job.strategy().buildsParts() && steps > LossCurve.EARLY_STEPS) {
                several.beganLike(together(even, LossCurve.EARLY_STEPS));
            }
            List<LossCurve> nudged = Stream.of(LAST_BIT, -LAST_BIT)
                    .map(nudge -> alone(even, nudge, samples))
                    .toList();
            rounding = furthest(nudged, each -> each.parametersFrom(one));
            Difference early = furthest(nudged, each -> each.earlyParametersFrom(one));
            Difference ofLosses = furthest(nudged, each -> each.lossesFrom(one, Long.MAX_VALUE));
            agrees = explained(parameters, rounding)
                    && explained(losses, ofLosses)
                    && explained(several.earlyParametersFrom(one), early)
                    && several.lossesFrom(one, LossCurve.EARLY_STEPS).relative() <= tolerance;
        }
        if (interrupted.getAsBoolean()) {
            return Optional.empty();
        }
        explain(several, agrees && !near);
        return Optional.of(new ParityResult(
                job.cluster().toString(),
                job.strategy().toString(),
                several.last().step(),
                samples,
                agrees,
                tolerance,
                job.strategy().exact(),
                parameters,
                losses,
                rounding,
                notes));
    }

    /**
     * The job as its cluster and strategy say. Members that hold parts compare the model they end with, which is one step further than
     * where they were told to end.
     */
    private LossCurve together(JobFile even, long count) {
        Job job = file.job();
        long last = job.strategy().buildsParts() ? Math.max(1, count - 1) : count;
        return curve(even, job.cluster(), job.strategy(), 0, run -> run.step() >= last);
    }

    private static Difference furthest(List<LossCurve> nudged, Function<LossCurve, Difference> distance) {
        return nudged.stream().map(distance).reduce(Difference.NONE, Difference::or);
    }

    private boolean explained(Difference found, Difference byRounding) {
        return found.relative() <= Math.max(tolerance, ROUNDING_ALLOWED * byRounding.relative());
    }

    private void explain(LossCurve several, boolean byRounding) {
        if (several.last().step() < steps) {
            notes.add("the job has " + several.last().step() + " steps, fewer than the " + steps + " asked for");
        }
        if (byRounding) {
            notes.add("this job is sensitive to rounding: in the first " + LossCurve.EARLY_STEPS
                    + " steps the two are the same,"
                    + " later they are no further apart than the order of sums explains");
        }
        if (!file.job().strategy().exact()) {
            notes.add(file.job().strategy() + " is not exact by nature: what counts is how far apart the two are, and"
                    + " how good the model becomes");
        }
    }

    private LossCurve alone(JobFile even, double nudge, long samples) {
        return curve(even, Launcher.here(), Strategy.local(), nudge, run -> run.samplesSeen() >= samples);
    }

    /** @param nudge what part of themselves is added to the first parameters */
    private LossCurve curve(JobFile even, Launcher cluster, Strategy strategy, double nudge, Predicate<Run> end) {
        try (ReadyJob ready = ReadyJob.check(even)) {
            if (nudge != 0) {
                try (Scope scope = Scope.open();
                        NoGradients off = NoGradients.begin()) {
                    ready.model().vector().values().mul_(1 + nudge);
                }
            }
            LossCurve curve = new LossCurve(end, strategy.buildsParts());
            Fit fit = ready.job()
                    .fit()
                    .quiet()
                    .on(cluster)
                    .with(strategy)
                    .until(interrupted)
                    .callbacks(Callbacks.stopOnNan(), curve);
            ready.trainer().fit(ready.train(), fit);
            if (strategy.buildsParts()) {
                curve.finished(ready.trainer().model().arrays());
            }
            return curve;
        }
    }

    /** The job without what every worker draws for itself; what cannot be removed is noted. */
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
        DropoutFree even = new DropoutFree(definition);
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
