package dev.tutti.source.column;

import dev.tutti.source.table.ColumnValues;

/**
 * How far the values of a column are from those the model was fitted to.
 *
 * @param amount 0 for the same; 1 is a mean that moved by a standard deviation, or values of which none occurred before
 * @param sentence what has changed, for people
 */
public record ColumnDrift(String column, double amount, String sentence) {
    /** Measures how far new rows differ from those that a column was fitted on. */
    interface Measure {
        void add(ColumnValues[] columns, int rows);

        ColumnDrift drift();
    }
}
