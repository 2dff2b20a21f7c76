package dev.tutti.data.stage;

import dev.tutti.data.DataException;

/**
 * Keeps one side of a split: the first part of the rows or the rest. Behind a filter, where their number is not
 * known, the sides take turns in the proportion asked for.
 */
public final class SplitStage extends PickStage {
    private double fraction;
    private boolean second;

    private SplitStage() {}

    public SplitStage(double fraction, boolean second) {
        this.fraction = fraction;
        this.second = second;
    }

    @Override
    long kept(long total) {
        return second ? total - first(total) : first(total);
    }

    @Override
    long placeOf(long place, long total) {
        return second ? first(total) + place : place;
    }

    private long first(long total) {
        return Math.round(total * fraction);
    }

    @Override
    boolean keeps(long place) {
        boolean isFirst = Math.round((place + 1) * fraction) > Math.round(place * fraction);
        return isFirst != second;
    }

    @Override
    public void check() {
        if (!(fraction > 0 && fraction < 1)) {
            throw new DataException("split(" + fraction + "): expected a fraction between 0 and 1, such as 0.9");
        }
    }

    @Override
    public String toString() {
        return "split(" + fraction + ")." + (second ? "second" : "first");
    }
}
