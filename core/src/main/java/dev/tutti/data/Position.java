package dev.tutti.data;

import java.util.List;

/**
 * A place between two batches of an epoch; opening the same recipe there goes on with exactly the batch that would
 * have followed.
 *
 * @param epoch the epoch
 * @param chunk the chunk that was being read, or null for the whole epoch
 * @param rows rows delivered so far, for people and progress bars
 * @param counters what the stages had counted, meaningful to the recipe that made them only; empty where the rows say it all
 */
public record Position(int epoch, Chunk chunk, long rows, List<Long> counters) {
    public Position {
        counters = List.copyOf(counters);
    }

    /** The position after the given number of rows in an epoch's order, independent of which member read them. */
    public static Position behind(int epoch, long rows) {
        return new Position(epoch, null, rows, List.of());
    }

    /** True when the rows alone say where it is. */
    public boolean isCountOfRows() {
        return chunk == null && counters.isEmpty();
    }
}
