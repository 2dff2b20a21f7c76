package dev.tutti.data;

import dev.tutti.data.source.Source;
import java.util.List;
import java.util.Objects;

/**
 * A place between two batches of an epoch; opening the same recipe there goes on with exactly the batch that would
 * have followed.
 *
 * @param epoch the epoch
 * @param chunk the chunk that was being read, or null for the whole epoch
 * @param rows rows delivered so far, for people and progress bars
 * @param counters what the stages had counted, meaningful to the recipe that made them only; empty where the rows say it all
 * @param source the {@linkplain Source#fingerprint fingerprint} of the source; empty where it has none
 */
public record Position(int epoch, Chunk chunk, long rows, List<Long> counters, String source) {
    public Position {
        counters = List.copyOf(counters);
        source = Objects.requireNonNullElse(source, "");
    }

    /** A place in a source without a fingerprint. */
    public Position(int epoch, Chunk chunk, long rows, List<Long> counters) {
        this(epoch, chunk, rows, counters, "");
    }

    /** The position after the given number of rows in an epoch's order, independent of which member read them. */
    public static Position behind(int epoch, long rows) {
        return new Position(epoch, null, rows, List.of());
    }

    /** True when the rows alone say where it is. */
    public boolean isCountOfRows() {
        return chunk == null && counters.isEmpty();
    }

    /** The place behind so many rows of the same epoch of the same source. */
    public Position behind(long rowsOfEpoch) {
        return new Position(epoch, null, rowsOfEpoch, List.of(), source);
    }

    /** The same place in a source with this fingerprint. */
    Position in(String fingerprint) {
        return new Position(epoch, chunk, rows, counters, fingerprint);
    }

    /**
     * Refuses another source than the one this position was saved in.
     *
     * @throws DataException if both fingerprints are known and differ
     */
    void require(String fingerprint) {
        if (!source.isEmpty() && !fingerprint.isEmpty() && !source.equals(fingerprint)) {
            throw new DataException(
                    "the data has changed since this place in it was saved: it was " + source + ", now it is "
                            + fingerprint + ". Bring the old data back, or start again without the checkpoint.");
        }
    }
}
