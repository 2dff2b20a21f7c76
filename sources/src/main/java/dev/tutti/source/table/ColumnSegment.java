package dev.tutti.source.table;

import java.util.List;

/** Some rows of a table in the making, column by column: segments that several threads have filled are put together in their order. */
public final class ColumnSegment {
    private final List<ColumnBuilder> columns;

    /** @param expected rows to make room for */
    public ColumnSegment(Schema schema, int expected) {
        this.columns = schema.columns().stream()
                .map(column -> new ColumnBuilder(column.type(), Math.max(1, expected)))
                .toList();
    }

    public ColumnBuilder column(int index) {
        return columns.get(index);
    }
}
