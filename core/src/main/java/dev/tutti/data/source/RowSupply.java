package dev.tutti.data.source;

import dev.tutti.data.Sample;
import java.util.Optional;

/**
 * Supplies rows that exist in the place a member runs in and nowhere else: a partition of Spark, a table of a client. A place installs
 * its supply with {@link RowSupplies}; a {@link SuppliedSource} asks it.
 *
 * <p>May be used by several threads at once. Asking for a part twice gives the same rows in the same order.
 */
public interface RowSupply {
    /**
     * The rows of a part without the first {@code skip} ones.
     *
     * @param source the name of the source
     * @return empty if the part is not here
     */
    Optional<Source.Cursor> rows(String source, int part, long skip);

    /** A row to know types and shapes by, where that is known without reading a part; see {@link Source#example}. */
    default Optional<Sample> example(String source) {
        return Optional.empty();
    }

    /** Whether a part is cheaper to read here than in other places. */
    default boolean isNear(String source, int part) {
        return false;
    }

    /** Whether a part is here; a supply that can tell without opening the rows should. */
    default boolean has(String source, int part) {
        Optional<Source.Cursor> rows = rows(source, part, 0);
        rows.ifPresent(Source.Cursor::close);
        return rows.isPresent();
    }
}
