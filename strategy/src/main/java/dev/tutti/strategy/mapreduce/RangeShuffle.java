package dev.tutti.strategy.mapreduce;

import java.io.Serializable;

/** Which reducer gets which range of the parameters. */
public enum RangeShuffle implements Serializable {
    /** By the number of the range, in turn. */
    HASH,
    /** Neighbouring ranges to the same reducer, in order. */
    SORT,
    /** All ranges together, summed by pairs of parts. */
    TREE;

    /** The reducer of a range. */
    public int reducer(int key, int ranges, int reducers) {
        return switch (this) {
            case HASH -> Math.floorMod(key * 0x9E3779B9, reducers);
            case SORT -> (int) (key * (long) reducers / ranges);
            case TREE -> 0;
        };
    }
}
