package dev.tutti.source.column;

import dev.tutti.source.table.ColumnType;
import dev.tutti.source.table.ColumnValues;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Several columns as one: each combination of their values has an id, by a hash. A row that misses one of them has id 0. */
public final class CrossColumn extends IdColumn {
    private List<String> columns = List.of();
    private int size;

    private CrossColumn() {}

    private CrossColumn(List<String> columns, int size) {
        this.columns = List.copyOf(columns);
        this.size = size;
    }

    /** So many ids for the combinations, of which 0 is for rows that miss a value. */
    public static CrossColumn of(int size, String... columns) {
        return new CrossColumn(List.of(columns), size);
    }

    /** Ids for an embedding instead of one-hot numbers. */
    public CrossColumn embedding() {
        return embedded();
    }

    @Override
    Map<String, ColumnType> reads() {
        Map<String, ColumnType> reads = new LinkedHashMap<>();
        columns.forEach(column -> reads.put(column, ColumnType.TEXT));
        return reads;
    }

    @Override
    int ids() {
        return size;
    }

    @Override
    boolean isFitted() {
        return true;
    }

    @Override
    void check() {
        require(columns.size() >= 2, "a cross needs two or more 'columns', received " + columns);
        require(size >= 2, "the cross of " + columns + " needs a 'size' of 2 or more, received " + size);
    }

    @Override
    ColumnFit newFit() {
        return ColumnFit.nothing(this);
    }

    @Override
    Ids bindIds() {
        return (values, rows, ids) -> {
            for (int row = 0; row < rows; row++) {
                ids[row] = id(values, row);
            }
        };
    }

    private int id(ColumnValues[] values, int row) {
        long hash = 0;
        for (ColumnValues each : values) {
            var text = each.text(row);
            if (text.isEmpty()) {
                return 0;
            }
            hash = TextHash.combined(hash, TextHash.of(text.get()));
        }
        return HashedColumn.id(hash, size);
    }
}
