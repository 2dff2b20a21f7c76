package dev.tutti.data.source;

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

    /** Whether a part is here; a supply that can tell without opening the rows should. */
    default boolean has(String source, int part) {
        Optional<Source.Cursor> rows = rows(source, part, 0);
        rows.ifPresent(Source.Cursor::close);
        return rows.isPresent();
    }
}
