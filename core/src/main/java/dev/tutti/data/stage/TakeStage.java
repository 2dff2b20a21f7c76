package dev.tutti.data.stage;

import dev.tutti.data.DataException;

/** Keeps the first rows. */
public final class TakeStage extends PickStage {
    private long count;

    private TakeStage() {}

    public TakeStage(long count) {
        this.count = count;
    }

    @Override
    long kept(long total) {
        return Math.min(count, total);
    }

    @Override
    long placeOf(long place, long total) {
        return place;
    }

    @Override
    boolean keeps(long place) {
        return true;
    }

    @Override
    boolean endsBefore(long place) {
        return place >= count;
    }

    @Override
    public void check() {
        if (count < 0) {
            throw new DataException("take(" + count + "): expected 0 rows or more");
        }
    }

    @Override
    public String toString() {
        return "take(" + count + ")";
    }
}
