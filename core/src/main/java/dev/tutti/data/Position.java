package dev.tutti.data;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tutti.data.source.Source;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * A place between two batches of an epoch; opening the same recipe there goes on with exactly the batch that would
 * have followed.
 *
 * @param epoch the epoch
 * @param chunk the chunk that was being read, or null for the whole epoch
 * @param rows rows delivered so far, for people and progress bars
 * @param counters what the stages had counted, meaningful to the recipe that made them only; empty where the rows say it all
 * @param source the {@linkplain Source#fingerprint fingerprint} of the source; empty where it has none
 * @param datasets where several data sets are read side by side, the place in each of them, by its name; empty for one
 */
public record Position(
        int epoch,
        Chunk chunk,
        long rows,
        List<Long> counters,
        String source,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) Map<String, Position> datasets) {
    public Position {
        counters = List.copyOf(counters);
        source = Objects.requireNonNullElse(source, "");
        datasets = datasets == null ? Map.of() : Map.copyOf(datasets);
    }

    /** A place in one data set. */
    public Position(int epoch, Chunk chunk, long rows, List<Long> counters) {
        this(epoch, chunk, rows, counters, "");
    }

    /** A place in one data set whose source has a fingerprint. */
    public Position(int epoch, Chunk chunk, long rows, List<Long> counters, String source) {
        this(epoch, chunk, rows, counters, source, Map.of());
    }

    /** The places in several data sets that are read side by side; its rows are those of all of them, or -1 if some are not known. */
    public static Position sideBySide(int epoch, Map<String, Position> datasets) {
        boolean known = datasets.values().stream().allMatch(each -> each.rows() >= 0);
        long rows = known ? datasets.values().stream().mapToLong(Position::rows).sum() : -1;
        return new Position(epoch, null, rows, List.of(), "", datasets);
    }

    /**
     * The place in one of several data sets; empty at its beginning.
     *
     * @throws DataException if this is a place in a single data set, without a name
     */
    public Optional<Position> in(String dataset) {
        if (datasets.isEmpty()) {
            throw new DataException("expected a place in several data sets, one of them '" + dataset
                    + "', received a place in one: it was saved by a run that read no others");
        }
        return Optional.ofNullable(datasets.get(dataset));
    }

    /** The position after the given number of rows in an epoch's order, independent of which member read them. */
    public static Position behind(int epoch, long rows) {
        return new Position(epoch, null, rows, List.of());
    }

    /** True when the rows alone say where it is. */
    public boolean isCountOfRows() {
        return chunk == null && counters.isEmpty() && datasets.isEmpty();
    }

    /** The place behind so many rows of the same epoch of the same source. */
    public Position behind(long rowsOfEpoch) {
        return new Position(epoch, null, rowsOfEpoch, List.of(), source);
    }

    /** The same place in a source with this fingerprint. */
    Position ofSource(String fingerprint) {
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
