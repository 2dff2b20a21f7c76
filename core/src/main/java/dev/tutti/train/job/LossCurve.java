package dev.tutti.train.job;

import dev.tutti.array.NdArray;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** The way a run takes: its losses, and its parameters where it is cut. */
final class LossCurve implements Callback {
    /** Sizes below this count as this: what is nothing but noise around zero does not differ by much. */
    private static final double NEAR_ZERO = 1e-3;

    /** So early rounding has led nowhere yet: what differs here is wrong. */
    static final int EARLY_STEPS = 10;

    private final Predicate<Run> end;
    private final boolean parts;
    private final List<Point> points = new ArrayList<>();
    private Map<String, NdArray> early;
    private Map<String, NdArray> arrays;

    /**
     * What was agreed on.
     *
     * @param samples all samples so far
     * @param step all updates so far
     * @param loss the mean loss of the samples since the point before
     */
    record Point(long samples, long step, double loss) {}

    /**
     * A curve to be followed.
     *
     * @param end where to cut it
     * @param parts whether a member holds a part of the model alone, so that parameters are those of the {@link #finished} model
     */
    LossCurve(Predicate<Run> end, boolean parts) {
        this.end = end;
        this.parts = parts;
    }

    /** Training is over, and the parts of the model are together. */
    void finished(Map<String, NdArray> whole) {
        arrays = whole;
    }

    /** Another course of the same run that was cut after the first steps: where parts of a model cannot be compared on the way. */
    void beganLike(LossCurve shorter) {
        early = shorter.arrays;
    }

    @Override
    public void step(Run run) {
        if (arrays != null) {
            return; // members need one more step to agree on the end
        }
        points.add(new Point(run.samplesSeen(), run.step(), run.lastLoss()));
        if (parts) {
            if (end.test(run)) {
                run.stop("there is enough to compare");
            }
            return;
        }
        if (early == null && run.step() >= EARLY_STEPS) {
            early = run.model().arrays();
        }
        if (end.test(run)) {
            arrays = run.model().arrays();
            run.stop("there is enough to compare");
        }
    }

    @Override
    public void end(Run run, Optional<Throwable> failure) {
        if (arrays == null && failure.isEmpty() && !parts) {
            arrays = run.model().arrays();
        }
    }

    List<Point> points() {
        return points;
    }

    Point last() {
        return points.get(points.size() - 1);
    }

    /** How far the parameters, and running statistics, are from those of another course at the end. */
    ParityResult.Difference parametersFrom(LossCurve other) {
        return difference(arrays, other.arrays);
    }

    /** The same after the first steps. */
    ParityResult.Difference earlyParametersFrom(LossCurve other) {
        return early == null || other.early == null ? parametersFrom(other) : difference(early, other.early);
    }

    private static ParityResult.Difference difference(Map<String, NdArray> one, Map<String, NdArray> other) {
        ParityResult.Difference all = ParityResult.Difference.NONE;
        for (Map.Entry<String, NdArray> entry : one.entrySet()) {
            NdArray mine = entry.getValue();
            NdArray theirs = other.get(entry.getKey());
            if (theirs == null || theirs.size() != mine.size()) {
                continue; // a part of a model that is too large to be gathered
            }
            double difference = 0;
            double size = 0;
            for (int i = 0; i < mine.size(); i++) {
                difference = Math.max(difference, Math.abs(mine.at(i) - theirs.at(i)));
                size = Math.max(size, Math.abs(theirs.at(i)));
            }
            all = all.or(new ParityResult.Difference(difference, relative(difference, size), entry.getKey()));
        }
        return all;
    }

    /** How far the losses of the first steps are from those of a course with a point for each step, over the same samples. */
    ParityResult.Difference lossesFrom(LossCurve other, long firstSteps) {
        ParityResult.Difference all = ParityResult.Difference.NONE;
        int next = 0;
        long before = 0;
        for (Point point : points) {
            double sum = 0;
            long samples = 0;
            while (next < other.points.size() && other.points.get(next).samples() <= point.samples()) {
                Point theirs = other.points.get(next++);
                sum += theirs.loss() * (theirs.samples() - before);
                samples += theirs.samples() - before;
                before = theirs.samples();
            }
            if (samples > 0 && point.step() <= firstSteps) {
                double loss = sum / samples;
                double difference = Math.abs(point.loss() - loss);
                all = all.or(new ParityResult.Difference(
                        difference, relative(difference, Math.abs(loss)), "step " + point.step()));
            }
        }
        return all;
    }

    private static double relative(double difference, double size) {
        return difference / Math.max(size, NEAR_ZERO);
    }
}
