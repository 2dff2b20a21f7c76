package dev.tutti.metric;

import dev.tutti.array.NdArray;

/**
 * What a metric remembers of the batches it has seen.
 *
 * <p>Order of calls: update and merge any number of times, and ask for the value whenever it is wanted. Not safe for
 * several threads: give each its own state and merge them.
 *
 * <p>Merging is exact: counts are whole numbers, sums are {@linkplain ExactSum exact}, so the value depends on which
 * samples were seen and not on how they were divided or in what order they came.
 */
public interface MetricState {
    /**
     * Adds a batch.
     *
     * @throws MetricException if the shapes do not belong together, or a target is not one of the classes; the state is
     *     then as it was before
     */
    void update(NdArray predictions, NdArray targets);

    /**
     * Adds all that another state of the same metric has seen; the other one stays as it is.
     *
     * @throws IllegalArgumentException if the other state belongs to another metric
     */
    void merge(MetricState other);

    /** The value over everything seen so far; NaN when nothing was seen, or too little to say. */
    double value();

    /**
     * All that this state remembers, as one row of int64: to be sent to another machine or kept in a checkpoint. States
     * that have seen the same samples in any order give equal snapshots.
     */
    NdArray snapshot();

    /**
     * Makes this state what another one was when it gave the snapshot; what this one had seen is forgotten.
     *
     * @throws MetricException if the snapshot is not one of this metric
     */
    void restore(NdArray snapshot);
}
