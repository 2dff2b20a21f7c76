package dev.tutti.data.stage;

import dev.tutti.data.Batch;

/** The rows of one epoch at some stage, where each can be reached by its place. */
interface RowView {
    long size();

    Row get(long place);

    /** Whether several threads may call {@link #get} at the same time. */
    default boolean isConcurrent() {
        return false;
    }

    /** Whether {@link #gather} works: the source gives batches, and every stage up to here is an index or treats batches. */
    default boolean gathers() {
        return false;
    }

    /** The rows at these places as one batch; called only if {@link #gathers}. */
    default Batch gather(long[] places) {
        throw new IllegalStateException("this stage treats single rows");
    }
}
