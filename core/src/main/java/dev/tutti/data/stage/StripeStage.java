package dev.tutti.data.stage;

import dev.tutti.data.DataException;

/** Keeps, of every {@code period} rows, those from {@code from} up to {@code to}. */
public final class StripeStage extends PickStage {
    private long period = 1;
    private long from;
    private long to = 1;

    private StripeStage() {}

    public StripeStage(long period, long from, long to) {
        this.period = period;
        this.from = from;
        this.to = to;
    }

    private long width() {
        return to - from;
    }

    @Override
    long kept(long total) {
        long rest = total % period;
        return total / period * width() + Math.max(0, Math.min(rest, to) - from);
    }

    @Override
    long placeOf(long place, long total) {
        return place / width() * period + from + place % width();
    }

    @Override
    boolean keeps(long place) {
        long within = place % period;
        return within >= from && within < to;
    }

    @Override
    public void check() {
        if (from < 0 || from >= to || to > period) {
            throw new DataException(this + ": expected 0 <= from < to <= period");
        }
    }

    @Override
    public String toString() {
        return "stripe(" + period + ", " + from + ", " + to + ")";
    }
}
