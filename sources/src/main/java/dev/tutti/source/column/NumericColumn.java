package dev.tutti.source.column;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.tutti.data.DataException;
import dev.tutti.source.table.ColumnType;
import dev.tutti.source.table.ColumnValues;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A number: clipped, its logarithm taken, brought to a common scale, in this order. A missing value becomes the mean of the
 * training part unless told otherwise, and with {@code indicator} a second number says that it was missing.
 */
public final class NumericColumn extends ColumnEncoder {
    /** How numbers are brought to a common scale. */
    enum Scaling {
        /** As they are. */
        @JsonProperty("none")
        NONE,
        /** Less the mean, divided by the standard deviation. */
        @JsonProperty("standardise")
        STANDARDISE,
        /** From 0 at the least to 1 at the greatest. */
        @JsonProperty("minMax")
        MIN_MAX;

        @Override
        public String toString() {
            return this == MIN_MAX ? "minMax" : name().toLowerCase(Locale.ROOT);
        }
    }

    private String column;
    private Scaling scale = Scaling.STANDARDISE;
    private boolean log;
    private Double lowest;
    private Double highest;
    private Double missing;
    private boolean indicator;

    /** What the training part has shown: the value is {@code (x - shift) / divisor}. */
    private Double shift;

    private Double divisor;
    private Double filled;
    private Double mean;
    private Double deviation;

    private NumericColumn() {}

    private NumericColumn(String column) {
        this.column = column;
    }

    /** A number, standardised. */
    public static NumericColumn of(String column) {
        return new NumericColumn(column);
    }

    public NumericColumn minMax() {
        NumericColumn copy = copy();
        copy.scale = Scaling.MIN_MAX;
        return copy;
    }

    /** The number as it is. */
    public NumericColumn unscaled() {
        NumericColumn copy = copy();
        copy.scale = Scaling.NONE;
        return copy;
    }

    /** The logarithm of 1 + x, with the sign of x: for amounts that range over powers of ten. */
    public NumericColumn log() {
        NumericColumn copy = copy();
        copy.log = true;
        return copy;
    }

    /** Values below or above become the limit. */
    public NumericColumn clip(double least, double greatest) {
        NumericColumn copy = copy();
        copy.lowest = least;
        copy.highest = greatest;
        return copy;
    }

    /** What a missing value becomes, before it is scaled. */
    public NumericColumn missing(double value) {
        NumericColumn copy = copy();
        copy.missing = value;
        return copy;
    }

    /** Adds a number that is 1 where the value was missing and 0 elsewhere. */
    public NumericColumn indicator() {
        NumericColumn copy = copy();
        copy.indicator = true;
        return copy;
    }

    @Override
    Map<String, ColumnType> reads() {
        return Map.of(column, ColumnType.NUMBER);
    }

    @Override
    Form form() {
        return Form.DENSE;
    }

    @Override
    int width() {
        return indicator ? 2 : 1;
    }

    @Override
    boolean isFitted() {
        return shift != null;
    }

    @Override
    void check() {
        require(column != null, "a numeric column needs a 'column'");
        require(
                lowest == null || highest == null || lowest < highest,
                "column '" + column + "': 'lowest' " + lowest + " is not below 'highest' " + highest);
    }

    /** Clipped and, if wanted, its logarithm. */
    private double prepared(double value) {
        double clipped = value;
        if (lowest != null && clipped < lowest) {
            clipped = lowest;
        }
        if (highest != null && clipped > highest) {
            clipped = highest;
        }
        return log ? Math.copySign(Math.log1p(Math.abs(clipped)), clipped) : clipped;
    }

    @Override
    Optional<ColumnDrift.Measure> newDrift() {
        return Optional.of(new NumberDrift(column, mean, deviation, this::prepared));
    }

    @Override
    ColumnFit newFit() {
        return new Fit();
    }

    private final class Fit implements ColumnFit {
        private final NumberStatistics statistics = new NumberStatistics();

        @Override
        public void add(ColumnValues[] columns, long[] rowNumbers) {
            for (int row = 0; row < rowNumbers.length; row++) {
                double value = columns[0].number(row);
                if (Double.isInfinite(value)) {
                    throw new DataException("column '" + column + "': row " + rowNumbers[row] + " is " + value
                            + ": expected a finite number; set 'lowest' and 'highest' to clip such values");
                }
                statistics.add(prepared(value));
            }
        }

        @Override
        public void merge(ColumnFit other) {
            statistics.merge(((Fit) other).statistics);
        }

        @Override
        public void write(DataOutput out) throws IOException {
            statistics.write(out);
        }

        @Override
        public void merge(DataInput written) throws IOException {
            statistics.merge(written);
        }

        @Override
        public ColumnEncoder fitted() {
            require(statistics.count() > 0, "column '" + column + "' has no value in the training part: leave it out");
            NumericColumn copy = copy();
            double range = statistics.max() - statistics.min();
            copy.shift = scale == Scaling.NONE ? 0 : scale == Scaling.MIN_MAX ? statistics.min() : statistics.mean();
            double width = scale == Scaling.NONE ? 1 : scale == Scaling.MIN_MAX ? range : statistics.deviation();
            copy.divisor = width == 0 ? 1 : width;
            copy.mean = statistics.mean();
            copy.deviation = statistics.deviation();
            copy.filled = missing == null ? statistics.mean() : prepared(missing);
            return copy;
        }
    }

    @Override
    Encoding bind() {
        double from = shift;
        double by = divisor;
        double otherwise = filled;
        boolean plain = lowest == null && highest == null && !log;
        return (columns, rows, out) -> {
            ColumnValues values = columns[0];
            float[] numbers = out.numbers();
            if (plain && !indicator && values.type() == ColumnType.NUMBER) {
                double[] given = values.numbers();
                int at = out.offset();
                for (int row = 0; row < rows; row++, at += out.stride()) {
                    double value = given[row];
                    numbers[at] = (float) (((Double.isNaN(value) ? otherwise : value) - from) / by);
                }
                return;
            }
            for (int row = 0; row < rows; row++) {
                double value = values.number(row);
                boolean absent = Double.isNaN(value);
                numbers[out.at(row)] = (float) (((absent ? otherwise : plain ? value : prepared(value)) - from) / by);
                if (indicator) {
                    numbers[out.at(row) + 1] = absent ? 1 : 0;
                }
            }
        };
    }
}
