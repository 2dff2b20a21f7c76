package dev.tutti.data.stage;

import dev.tutti.data.DataException;

/** Leaves out the first rows. */
public final class SkipStage extends PickStage {
    private long count;

    private SkipStage() {}

    public SkipStage(long count) {
        this.count = count;
    }

    @Override
    long kept(long total) {
        return Math.max(0, total - count);
    }

    @Override
    long placeOf(long place, long total) {
        return place + count;
    }

    @Override
    boolean keeps(long place) {
        return place >= count;
    }

    @Override
    public void check() {
        if (count < 0) {
            throw new DataException("skip(" + count + "): expected 0 rows or more");
        }
    }

    @Override
    public String toString() {
        return "skip(" + count + ")";
    }
}
