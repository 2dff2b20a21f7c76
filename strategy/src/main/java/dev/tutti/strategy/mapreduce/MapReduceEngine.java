package dev.tutti.strategy.mapreduce;

import java.util.List;

/** Runs rounds of map, shuffle and reduce over the parts of some data. */
public interface MapReduceEngine extends AutoCloseable {
    /** How many parts the data has. */
    int parts();

    /**
     * Maps all parts, shuffles their partials by range and reduces them.
     *
     * @param reducers how many reducers the ranges are divided among
     * @return one sum for each range, by rising number
     */
    List<RangePartial> round(RoundMap map, float[] parameters, int round, RangeShuffle shuffle, int reducers);

    /** Lets go of threads and memory. */
    @Override
    default void close() {}
}
