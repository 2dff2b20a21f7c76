package dev.tutti.source.column;

import dev.tutti.source.table.ColumnValues;
import java.util.Locale;
import java.util.function.DoubleUnaryOperator;

/** By how many standard deviations the mean of a number has moved, and how its spread has changed. */
final class NumberDrift implements ColumnDrift.Measure {
    private final String column;
    private final double mean;
    private final double deviation;
    private final DoubleUnaryOperator prepared;
    private final NumberStatistics statistics = new NumberStatistics();

    NumberDrift(String column, double mean, double deviation, DoubleUnaryOperator prepared) {
        this.column = column;
        this.mean = mean;
        this.deviation = deviation;
        this.prepared = prepared;
    }

    @Override
    public void add(ColumnValues[] columns, int rows) {
        for (int row = 0; row < rows; row++) {
            statistics.add(prepared.applyAsDouble(columns[0].number(row)));
        }
    }

    @Override
    public ColumnDrift drift() {
        if (statistics.count() == 0) {
            return new ColumnDrift(column, 1, column + " has no value in the new data");
        }
        double unit = deviation == 0 ? Math.max(1e-12, Math.abs(mean)) : deviation;
        double moved = (statistics.mean() - mean) / unit;
        double spread = deviation == 0 ? 1 : statistics.deviation() / deviation;
        return new ColumnDrift(
                column,
                Math.abs(moved),
                String.format(
                        Locale.ROOT,
                        "%s: the mean moved by %.2f standard deviations, from %.4g to %.4g; the spread is %.2f times what it was",
                        column,
                        moved,
                        mean,
                        statistics.mean(),
                        spread));
    }
}
