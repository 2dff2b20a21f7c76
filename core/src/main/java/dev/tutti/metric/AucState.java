package dev.tutti.metric;

import dev.tutti.array.NdArray;
import java.util.Arrays;

/** The scores of both classes, kept apart. */
final class AucState extends NamedState {
    private Scores ofClass0 = new Scores();
    private Scores ofClass1 = new Scores();

    AucState(String metric) {
        super(metric);
    }

    @Override
    public void update(NdArray predictions, NdArray targets) {
        ClassBatch batch = ClassBatch.of(metric(), predictions, targets);
        if (batch.classes() != 2) {
            throw new MetricException(
                    metric(), "is for two classes: received " + batch.classes() + ". Use accuracy() or f1() for more");
        }
        for (int row = 0; row < batch.rows(); row++) {
            boolean positive = batch.actual()[row] == 1;
            double score =
                    batch.width() == 1 ? predictions.at(row) : predictions.at(2 * row + 1) - predictions.at(2 * row);
            if (Double.isNaN(score)) {
                score = positive ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
            }
            (positive ? ofClass1 : ofClass0).add(score + 0.0); // makes -0.0 equal to 0.0 when sorted
        }
    }

    @Override
    public void merge(MetricState other) {
        AucState state = same(other, AucState.class);
        ofClass0.add(state.ofClass0);
        ofClass1.add(state.ofClass1);
    }

    @Override
    public double value() {
        if (ofClass0.size == 0 || ofClass1.size == 0) {
            return Double.NaN;
        }
        double[] low = ofClass0.sorted();
        double[] high = ofClass1.sorted();
        long twiceWon = 0;
        int below = 0; // scores of class 0 under the present one of class 1
        int upTo = 0; // the same, and those equal to it
        for (double score : high) {
            while (below < low.length && low[below] < score) {
                below++;
            }
            upTo = Math.max(upTo, below);
            while (upTo < low.length && low[upTo] == score) {
                upTo++;
            }
            twiceWon += below + upTo;
        }
        return (double) twiceWon / (2L * low.length * high.length);
    }

    @Override
    public NdArray snapshot() {
        double[] low = ofClass0.sorted();
        double[] high = ofClass1.sorted();
        long[] longs = new long[1 + low.length + high.length];
        longs[0] = low.length;
        for (int i = 0; i < low.length; i++) {
            longs[1 + i] = Double.doubleToLongBits(low[i]);
        }
        for (int i = 0; i < high.length; i++) {
            longs[1 + low.length + i] = Double.doubleToLongBits(high[i]);
        }
        return row(longs);
    }

    @Override
    public void restore(NdArray snapshot) {
        long[] longs = longs(snapshot);
        if (longs.length == 0 || longs[0] < 0 || longs[0] >= longs.length) {
            throw new MetricException(
                    metric(), "a snapshot begins with the number of scores of class 0, and they follow");
        }
        ofClass0 = new Scores();
        ofClass1 = new Scores();
        for (int i = 1; i < longs.length; i++) {
            (i <= longs[0] ? ofClass0 : ofClass1).add(Double.longBitsToDouble(longs[i]));
        }
    }

    /** A list of doubles that grows. */
    private static final class Scores {
        private double[] values = new double[64];
        private int size;

        void add(double value) {
            if (size == values.length) {
                values = Arrays.copyOf(values, Math.addExact(size, Math.max(size / 2, 64)));
            }
            values[size++] = value;
        }

        void add(Scores other) {
            int added = other.size;
            if (size + added > values.length) {
                values = Arrays.copyOf(values, Math.addExact(size, added));
            }
            System.arraycopy(other.values, 0, values, size, added);
            size += added;
        }

        double[] sorted() {
            double[] sorted = Arrays.copyOf(values, size);
            Arrays.sort(sorted);
            return sorted;
        }
    }
}
