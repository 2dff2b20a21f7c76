package dev.tutti.optim.schedule;

import dev.tutti.TuttiException;

/** A schedule that leads from the full rate down to a floor, over the whole run or a given length, and stays there. */
public abstract class Annealing<S extends Annealing<S>> extends Schedule {
    private double floor;
    private double epochs;
    private long steps;

    Annealing() {}

    /** The share that is left of what has to fall, 1 at position 0 and 0 at position 1. */
    abstract double curve(double position);

    /** The share of the rate that is reached in the end; 0 unless told otherwise. */
    public S floor(double share) {
        return changed(c -> c.floor = share);
    }

    /** Reaches the floor after the given number of epochs instead of at the end of the run. */
    public S epochs(double count) {
        return changed(c -> {
            c.epochs = count;
            c.steps = 0;
        });
    }

    /** Reaches the floor after the given number of steps instead of at the end of the run. */
    public S steps(long count) {
        return changed(c -> {
            c.epochs = 0;
            c.steps = count;
        });
    }

    @Override
    @SuppressWarnings("unchecked")
    public S warmup(long count) {
        return (S) super.warmup(count);
    }

    @Override
    public void validate() {
        super.validate();
        setting("floor", floor).atLeast(0).atMost(1);
        setting("epochs", epochs).atLeast(0);
        setting("steps", steps).atLeast(0);
        if (epochs > 0 && steps > 0) {
            throw new TuttiException(kind() + ": give its length in epochs or in steps, not in both");
        }
    }

    @Override
    protected final double shape(Progress progress) {
        return floor + (1 - floor) * curve(Math.min(1, position(progress)));
    }

    private double position(Progress progress) {
        if (epochs > 0) {
            return epoch(progress) / epochs;
        }
        long length = steps > 0 ? steps : progress.totalSteps();
        if (length <= 0) {
            throw new TuttiException(kind() + ": the length of the run is not known, so it has to be given: " + kind()
                    + "().steps(n) or .epochs(n)");
        }
        return (double) progress.step() / length;
    }

    @SuppressWarnings("unchecked")
    private S changed(java.util.function.Consumer<Annealing<S>> change) {
        return (S) this.<Annealing<S>>copy(change);
    }
}
