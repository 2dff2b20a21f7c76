package dev.tutti.table;

/** Where a model gets the rows of its tables from: memory of its own, or servers. Several threads may read at once. */
@FunctionalInterface
public interface RowSource {
    /**
     * Reads rows.
     *
     * @param ids of which none comes twice
     * @return the rows one behind the other, in the order of the ids; an id that was never changed has its first values
     */
    float[] read(TableSpec table, long[] ids);
}
