package dev.tutti.source.column;

import dev.tutti.array.NdArray;
import dev.tutti.data.DataException;
import dev.tutti.source.table.ColumnType;
import dev.tutti.source.table.ColumnValues;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/** A number, learned less its mean and divided by its standard deviation, so that the model begins near its scale. */
final class NumberLabel extends LabelColumn {
    private boolean standardise = true;
    private Double mean;
    private Double deviation;

    private NumberLabel() {}

    NumberLabel(String column) {
        super(column);
    }

    @Override
    ColumnType type() {
        return ColumnType.NUMBER;
    }

    @Override
    boolean isFitted() {
        return mean != null;
    }

    @Override
    String problem(ColumnValues values, int row) {
        double value = values.number(row);
        return Double.isFinite(value)
                ? null
                : "column '" + column() + "' is the label: expected a number, received "
                        + values.text(row).map(text -> "'" + text + "'").orElse("no value");
    }

    @Override
    NdArray encode(ColumnValues values, int rows) {
        float[] out = new float[rows];
        for (int row = 0; row < rows; row++) {
            out[row] = (float) ((values.number(row) - mean) / deviation);
        }
        return NdArray.of(out, rows, 1);
    }

    @Override
    double meaning(double output) {
        return output * deviation + mean;
    }

    @Override
    LabelFit newFit() {
        return new Fit();
    }

    private final class Fit implements LabelFit {
        private final NumberStatistics statistics = new NumberStatistics();

        @Override
        public void add(ColumnValues values, int rows) {
            for (int row = 0; row < rows; row++) {
                statistics.add(values.number(row));
            }
        }

        @Override
        public void merge(LabelFit other) {
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
        public LabelColumn fitted() {
            if (statistics.count() == 0) {
                throw new DataException("column '" + column() + "' is the label and has no number in any row");
            }
            NumberLabel copy = new NumberLabel(column());
            copy.standardise = standardise;
            copy.mean = standardise ? statistics.mean() : 0.0;
            copy.deviation = standardise && statistics.deviation() > 0 ? statistics.deviation() : 1.0;
            return copy;
        }
    }
}
