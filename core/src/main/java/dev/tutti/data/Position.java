package dev.tutti.data;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A place between two batches of an epoch; opening the same recipe there goes on with exactly the batch that would
 * have followed.
 *
 * @param epoch the epoch
 * @param chunk the chunk that was being read, or null for the whole epoch
 * @param rows rows delivered so far, for people and progress bars
 * @param counters what the stages had counted, meaningful to the recipe that made them only; empty where the rows say it all
 * @param datasets where several data sets are read side by side, the place in each of them, by its name; empty for one
 */
public record Position(
        int epoch,
        Chunk chunk,
        long rows,
        List<Long> counters,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) Map<String, Position> datasets) {
    public Position {
        counters = List.copyOf(counters);
        datasets = datasets == null ? Map.of() : Map.copyOf(datasets);
    }

    /** A place in one data set. */
    public Position(int epoch, Chunk chunk, long rows, List<Long> counters) {
        this(epoch, chunk, rows, counters, Map.of());
    }

    /** The places in several data sets that are read side by side; its rows are those of all of them, or -1 if some are not known. */
    public static Position sideBySide(int epoch, Map<String, Position> datasets) {
        boolean known = datasets.values().stream().allMatch(each -> each.rows() >= 0);
        long rows = known ? datasets.values().stream().mapToLong(Position::rows).sum() : -1;
        return new Position(epoch, null, rows, List.of(), datasets);
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
}
