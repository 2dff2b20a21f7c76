package dev.tutti.source.table;

import java.util.List;

/**
 * A table that was read, and what there is to say about it.
 *
 * @param notices lines for a summary, such as how many rows were left out
 */
public record LoadedTable(ColumnStore store, long badRows, List<String> notices) {
    public LoadedTable {
        notices = List.copyOf(notices);
    }
}
