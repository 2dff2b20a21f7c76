package dev.tutti.source.column;

import dev.tutti.source.table.ColumnType;
import dev.tutti.source.table.ColumnValues;
import java.util.Map;

/** One of very many values, by a hash of its text. Nothing is learned; missing values have id 0, and different values may share one. */
public final class HashedColumn extends IdColumn {
    private String column;
    private int size;

    private HashedColumn() {}

    private HashedColumn(String column, int size) {
        this.column = column;
        this.size = size;
    }

    /** So many ids, of which 0 is for missing values. */
    public static HashedColumn of(String column, int size) {
        return new HashedColumn(column, size);
    }

    /** Ids for an embedding instead of one-hot numbers. */
    public HashedColumn embedding() {
        return embedded();
    }

    @Override
    Map<String, ColumnType> reads() {
        return Map.of(column, ColumnType.TEXT);
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
        require(column != null, "a hashed column needs a 'column'");
        require(size >= 2, "column '" + column + "': a hashed column needs a 'size' of 2 or more, received " + size);
    }

    @Override
    ColumnFit newFit() {
        return ColumnFit.nothing(this);
    }

    @Override
    Ids bindIds() {
        return (columns, rows, ids) -> {
            ColumnValues values = columns[0];
            for (int row = 0; row < rows; row++) {
                ids[row] = values.text(row)
                        .map(text -> id(TextHash.of(text), size))
                        .orElse(0);
            }
        };
    }

    /** From 1 on: 0 is for missing values. */
    static int id(long hash, int size) {
        return 1 + (int) Long.remainderUnsigned(hash, size - 1);
    }
}
