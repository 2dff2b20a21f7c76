package dev.tutti.data.stage;

import dev.tutti.data.DataException;

/** Keeps every {@code count}-th row, beginning with row {@code index}. */
public final class ShardStage extends PickStage {
    private int index;
    private int count = 1;

    private ShardStage() {}

    public ShardStage(int index, int count) {
        this.index = index;
        this.count = count;
    }

    @Override
    long kept(long total) {
        return total <= index ? 0 : (total - index - 1) / count + 1;
    }

    @Override
    long placeOf(long place, long total) {
        return index + place * count;
    }

    @Override
    boolean keeps(long place) {
        return place % count == index;
    }

    @Override
    public void check() {
        if (count <= 0) {
            throw new DataException(this + ": expected at least 1 shard, received " + count);
        }
        if (index < 0 || index >= count) {
            throw new DataException(this + ": expected a shard from 0 to " + (count - 1) + ", received " + index);
        }
    }

    @Override
    public String toString() {
        return "shard(" + index + ", " + count + ")";
    }
}
