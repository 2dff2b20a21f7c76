package dev.tutti.data.stage;

import dev.tutti.data.Batch;

/** The rows of another view under other places: what a shuffle, a split or a stripe is. */
abstract class IndexView implements RowView {
    private final RowView below;
    private final long size;

    IndexView(RowView below, long size) {
        this.below = below;
        this.size = size;
    }

    /** The place below of the row at a place here. */
    abstract long placeBelow(long place);

    @Override
    public final long size() {
        return size;
    }

    @Override
    public final Row get(long place) {
        return below.get(placeBelow(place));
    }

    @Override
    public final boolean isConcurrent() {
        return below.isConcurrent();
    }

    @Override
    public final boolean gathers() {
        return below.gathers();
    }

    @Override
    public final Batch gather(long[] places) {
        long[] under = new long[places.length];
        for (int i = 0; i < places.length; i++) {
            under[i] = placeBelow(places[i]);
        }
        return below.gather(under);
    }
}
