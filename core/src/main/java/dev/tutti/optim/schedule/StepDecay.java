package dev.tutti.optim.schedule;

import dev.tutti.TuttiException;
import java.util.List;
import java.util.stream.DoubleStream;

/** Multiplies the rate by a factor every given number of epochs or steps, or at given epochs. */
public final class StepDecay extends Schedule {
    private double factor = 0.1;
    private double epochs;
    private long steps;
    private List<Double> at = List.of();

    private StepDecay() {}

    static StepDecay defaults() {
        return new StepDecay();
    }

    /** The factor of each step down; 0.1 unless told otherwise. */
    public StepDecay factor(double newFactor) {
        return copy(c -> c.factor = newFactor);
    }

    public StepDecay everyEpochs(double count) {
        return copy(c -> c.set(count, 0, List.of()));
    }

    public StepDecay everySteps(long count) {
        return copy(c -> c.set(0, count, List.of()));
    }

    /** Steps down at these epochs. */
    public StepDecay at(double... milestones) {
        return copy(c -> c.set(0, 0, DoubleStream.of(milestones).boxed().toList()));
    }

    private void set(double newEpochs, long newSteps, List<Double> milestones) {
        epochs = newEpochs;
        steps = newSteps;
        at = milestones;
    }

    @Override
    public void validate() {
        super.validate();
        setting("factor", factor).above(0);
        setting("epochs", epochs).atLeast(0);
        setting("steps", steps).atLeast(0);
        int given = (epochs > 0 ? 1 : 0) + (steps > 0 ? 1 : 0) + (at.isEmpty() ? 0 : 1);
        if (given > 1) {
            throw new TuttiException("step: give one of epochs, steps and at, received " + given + " of them");
        }
    }

    @Override
    protected double shape(Progress progress) {
        if (!at.isEmpty()) {
            double now = epoch(progress);
            return Math.pow(
                    factor, at.stream().filter(milestone -> now >= milestone).count());
        }
        long wholeSteps = steps > 0 ? progress.step() / steps : (long) (epoch(progress) / every());
        return Math.pow(factor, wholeSteps);
    }

    private double every() {
        return epochs > 0 ? epochs : 1;
    }

    @Override
    public String kind() {
        return "step";
    }
}
