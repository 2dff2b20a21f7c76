package dev.tutti.optim.schedule;

import dev.tutti.TuttiException;

/** Rises from a small share of the rate to all of it, then falls to almost nothing, over the whole run. */
public final class OneCycle extends Schedule {
    private double rise = 0.3;
    private double start = 1.0 / 25;
    private double end = 1.0 / 250_000;
    private long steps;

    private OneCycle() {}

    static OneCycle defaults() {
        return new OneCycle();
    }

    /** The share of the run in which the rate rises; 0.3 unless told otherwise. */
    public OneCycle rise(double share) {
        return copy(c -> c.rise = share);
    }

    /** The share of the rate at the beginning; 1/25 unless told otherwise. */
    public OneCycle start(double share) {
        return copy(c -> c.start = share);
    }

    /** The share of the rate at the end. */
    public OneCycle end(double share) {
        return copy(c -> c.end = share);
    }

    /** The length of the cycle, instead of that of the run. */
    public OneCycle steps(long count) {
        return copy(c -> c.steps = count);
    }

    @Override
    public void validate() {
        super.validate();
        setting("rise", rise).above(0).below(1);
        setting("start", start).above(0).atMost(1);
        setting("end", end).atLeast(0).atMost(1);
        setting("steps", steps).atLeast(0);
    }

    @Override
    protected double shape(Progress progress) {
        long length = steps > 0 ? steps : progress.totalSteps();
        if (length <= 0) {
            throw new TuttiException(
                    "oneCycle: the length of the run is not known, so it has to be given: " + "oneCycle().steps(n)");
        }
        double top = Math.max(0, rise * length - 1);
        double last = length - 1.0;
        double step = progress.step();
        if (step <= top) {
            return top == 0 ? 1 : between(start, 1, step / top);
        }
        return last <= top ? end : between(1, end, Math.min(1, (step - top) / (last - top)));
    }

    private static double between(double from, double to, double position) {
        return to + (from - to) * (1 + Math.cos(Math.PI * position)) / 2;
    }
}
