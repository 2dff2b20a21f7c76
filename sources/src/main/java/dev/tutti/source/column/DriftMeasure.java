package dev.tutti.source.column;

import dev.tutti.source.table.ColumnValues;

/** Measures how far rows are from those an encoder was fitted to. */
interface DriftMeasure {
    void add(ColumnValues[] columns, int rows);

    ColumnDrift drift();
}
