package dev.tutti.source.column;

import dev.tutti.source.table.ColumnValues;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/** What rows have shown about a column so far. Fits of parts, merged in any order, are exactly the fit of the whole. */
interface ColumnFit {
    /**
     * Takes rows in.
     *
     * @param rowNumbers their numbers in the table, for samples that do not depend on the order
     */
    void add(ColumnValues[] columns, long[] rowNumbers);

    /** Takes in what another fit of the same encoder has seen. */
    void merge(ColumnFit other);

    /** Writes what was seen so far, for a fit of the same encoder in another process. */
    void write(DataOutput out) throws IOException;

    /** Takes in what a fit of the same encoder has written. */
    void merge(DataInput written) throws IOException;

    /** The encoder with what was learned. */
    ColumnEncoder fitted();

    /** A fit that learns nothing. */
    static ColumnFit nothing(ColumnEncoder encoder) {
        return new ColumnFit() {
            @Override
            public void add(ColumnValues[] columns, long[] rowNumbers) {}

            @Override
            public void merge(ColumnFit other) {}

            @Override
            public void write(DataOutput out) {}

            @Override
            public void merge(DataInput written) {}

            @Override
            public ColumnEncoder fitted() {
                return encoder;
            }
        };
    }
}
