package dev.tutti.optim.schedule;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.annotation.JsonTypeResolver;
import dev.tutti.BoundedNumber;
import dev.tutti.TuttiException;
import dev.tutti.json.Definition;
import dev.tutti.json.ShortForm;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/**
 * How the learning rate changes during a run, as a factor of it.
 *
 * <p>A schedule is a pure function of {@link Progress} and remembers nothing, so that a resumed run, or another member
 * of the job, comes to the same rate. One that goes by a metric, such as {@link ReduceOnPlateau}, finds the values so
 * far in {@link Progress#observed()}.
 *
 * <p>A schedule of your own extends this class; {@code Json.register} gives it its name in files.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonTypeResolver(ShortForm.class)
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
public abstract class Schedule extends Definition {
    private long warmup;

    /** What the learning rate is multiplied by for the step that comes next. */
    public final double factor(Progress progress) {
        Objects.requireNonNull(progress, "progress");
        if (progress.step() < warmup) {
            return (progress.step() + 1.0) / (warmup + 1.0) * shape(progress.after(warmup));
        }
        return shape(warmup == 0 ? progress : progress.after(warmup));
    }

    /** The factor without the warm-up; progress is counted from the warm-up's end. */
    protected abstract double shape(Progress progress);

    /**
     * Rises evenly to the full rate over the first steps; the schedule itself begins after them, and one that covers
     * the whole run covers the rest.
     */
    public Schedule warmup(long steps) {
        return copy(c -> base(c).warmup = steps);
    }

    /** The name of the metric to put into {@link Progress#observed()}; empty for the loss. */
    public Optional<String> monitor() {
        return Optional.empty();
    }

    /**
     * Checks the settings; those of a definition that was read from a file have not been checked before.
     *
     * @throws TuttiException when one is out of its bounds
     */
    @Override
    public void validate() {
        setting("warmup", warmup).atLeast(0);
    }

    /** One setting of this schedule, for {@link #validate}. */
    final BoundedNumber setting(String name, double value) {
        return new BoundedNumber(kind(), name, value);
    }

    /** The kind of schedule, as in files and messages: {@code cosine}. */
    public String kind() {
        String simple = getClass().getSimpleName();
        return simple.substring(0, 1).toLowerCase(Locale.ROOT) + simple.substring(1);
    }

    /** The position in epochs, as a fraction. */
    final double epoch(Progress progress) {
        if (progress.stepsPerEpoch() <= 0) {
            throw new TuttiException(kind() + ": it is counted in epochs, but the number of steps in one is not known: "
                    + "count it in steps");
        }
        return progress.step() / progress.stepsPerEpoch();
    }

    private static Schedule base(Schedule schedule) {
        return schedule;
    }

    @Override
    public String toString() {
        return kind();
    }
}
