package dev.tutti.bench.contender;

/** Work that is repeated while the harness counts, built with its data in memory so that steps only compute. */
public interface Workload extends AutoCloseable {
    /**
     * How much was done in which time.
     *
     * @param samples what all of these steps handled
     */
    record Pace(long steps, long samples, double seconds) {}

    /** Does one step, to its end: when this returns nothing is left running. */
    void step();

    /** The samples that one step handles. */
    int batch();

    /** Steps until the time is over, at least once. */
    default Pace run(double seconds) {
        long start = System.nanoTime();
        long end = start + (long) (seconds * 1e9);
        long steps = 0;
        long now;
        do {
            step();
            steps++;
            now = System.nanoTime();
        } while (now - end < 0);
        return new Pace(steps, steps * batch(), (now - start) / 1e9);
    }

    @Override
    default void close() {}
}
