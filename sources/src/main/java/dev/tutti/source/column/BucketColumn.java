package dev.tutti.source.column;

import dev.tutti.source.table.ColumnType;
import dev.tutti.source.table.ColumnValues;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * A number by the bucket it lies in: between boundaries that are given, or between quantiles of the training part. Missing values
 * have id 0, values below the first boundary 1, those from it on 2, and so on.
 */
public final class BucketColumn extends IdColumn {
    private String column;
    private double[] boundaries;
    private Integer quantiles;

    private BucketColumn() {}

    private BucketColumn(String column, double[] boundaries, Integer quantiles) {
        this.column = column;
        this.boundaries = boundaries;
        this.quantiles = quantiles;
    }

    /** Buckets between these values. */
    public static BucketColumn of(String column, double... boundaries) {
        return new BucketColumn(column, boundaries.clone(), null);
    }

    /** So many buckets with about as many rows each. */
    public static BucketColumn quantiles(String column, int buckets) {
        return new BucketColumn(column, null, buckets);
    }

    /** Ids for an embedding instead of one-hot numbers. */
    public BucketColumn embedding() {
        return embedded();
    }

    @Override
    Map<String, ColumnType> reads() {
        return Map.of(column, ColumnType.NUMBER);
    }

    @Override
    int ids() {
        return (quantiles == null ? boundaries.length : quantiles - 1) + 2;
    }

    @Override
    boolean isFitted() {
        return boundaries != null;
    }

    @Override
    void check() {
        require(column != null, "buckets need a 'column'");
        require(
                boundaries != null || quantiles != null,
                "column '" + column + "': buckets need 'boundaries', or 'quantiles', the number of buckets");
        require(
                quantiles == null || quantiles >= 2,
                "column '" + column + "': 'quantiles' must be 2 or more, received " + quantiles);
        require(
                boundaries == null
                        || IntStream.range(1, boundaries.length).allMatch(i -> boundaries[i - 1] <= boundaries[i]),
                "column '" + column + "': 'boundaries' must rise: received " + Arrays.toString(boundaries));
    }

    @Override
    ColumnFit newFit() {
        return boundaries != null ? ColumnFit.nothing(this) : new Fit();
    }

    private final class Fit implements ColumnFit {
        private final NumberSample sample = new NumberSample();

        @Override
        public void add(ColumnValues[] columns, long[] rowNumbers) {
            for (int row = 0; row < rowNumbers.length; row++) {
                sample.add(columns[0].number(row), rowNumbers[row]);
            }
        }

        @Override
        public void merge(ColumnFit other) {
            sample.merge(((Fit) other).sample);
        }

        @Override
        public void write(DataOutput out) throws IOException {
            sample.write(out);
        }

        @Override
        public void merge(DataInput written) throws IOException {
            sample.merge(written);
        }

        @Override
        public ColumnEncoder fitted() {
            double[] sorted = sample.sorted();
            require(sorted.length > 0, "column '" + column + "' has no value in the training part: leave it out");
            BucketColumn copy = copy();
            copy.boundaries = IntStream.range(1, quantiles)
                    .mapToDouble(i -> sorted[(int) ((long) i * sorted.length / quantiles)])
                    .toArray();
            return copy;
        }
    }

    @Override
    Ids bindIds() {
        return (columns, rows, ids) -> {
            for (int row = 0; row < rows; row++) {
                double value = columns[0].number(row);
                ids[row] = Double.isNaN(value) ? 0 : 1 + below(value);
            }
        };
    }

    /** How many boundaries are at or below a value. */
    private int below(double value) {
        int from = 0;
        int to = boundaries.length;
        while (from < to) {
            int middle = (from + to) >>> 1;
            if (boundaries[middle] <= value) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        return from;
    }
}
