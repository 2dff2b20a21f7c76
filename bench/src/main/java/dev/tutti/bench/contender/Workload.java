package dev.tutti.bench.contender;

/** Work that is done again and again while somebody counts, built with its data in memory so that steps only compute. */
public interface Workload extends AutoCloseable {
    /** Does one step, to its end: when this returns nothing is left running. */
    void step();

    /** The samples that one step handles. */
    int batch();

    @Override
    default void close() {}
}
