package dev.tutti.bench.process;

import java.util.Map;

/**
 * An entrant while it races.
 *
 * <p>Order of calls: prepare once, then measure any number of times, then close. The first two throw
 * {@link ContenderException} when the contender fails; after that only close may be called.
 */
public interface Contender extends AutoCloseable {
    /** Does everything that should not count: starting, warming up, filling the caches of files. */
    void prepare();

    /** Measures once and gives the numbers by their keys. */
    Map<String, Double> measure();

    @Override
    void close();
}
