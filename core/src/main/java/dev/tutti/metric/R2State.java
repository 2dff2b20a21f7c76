package dev.tutti.metric;

import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import java.math.BigDecimal;

/**
 * For each output the sums of targets, squared targets and squared errors.
 *
 * <p>The variance is a small difference of large numbers; because the sums are exact, nothing is lost in it.
 */
final class R2State extends NamedState {
    private static final int SUMS = 3;

    private ExactSum[] targetSums = {};
    private ExactSum[] squareSums = {};
    private ExactSum[] errorSums = {};
    private long rows;

    R2State(String metric) {
        super(metric);
    }

    @Override
    public void update(NdArray predictions, NdArray targets) {
        ErrorState.checkShapes(metric(), predictions, targets);
        Shape shape = targets.shape();
        int outputs = shape.rank() < 2 ? 1 : Math.toIntExact(shape.dim(-1));
        expectOutputs(outputs);
        int size = targets.size();
        for (int i = 0; i < size; i++) {
            double target = targets.at(i);
            double error = predictions.at(i) - target;
            int output = i % outputs;
            targetSums[output].add(target);
            squareSums[output].addProduct(target, target);
            errorSums[output].add(error * error);
        }
        rows += outputs == 0 ? 0 : size / outputs;
    }

    @Override
    public void merge(MetricState other) {
        R2State state = same(other, R2State.class);
        if (state.targetSums.length == 0) {
            return;
        }
        expectOutputs(state.targetSums.length);
        for (int i = 0; i < targetSums.length; i++) {
            targetSums[i].add(state.targetSums[i]);
            squareSums[i].add(state.squareSums[i]);
            errorSums[i].add(state.errorSums[i]);
        }
        rows += state.rows;
    }

    @Override
    public double value() {
        if (rows < 2) {
            return Double.NaN;
        }
        double sum = 0;
        for (int i = 0; i < targetSums.length; i++) {
            sum += value(i);
        }
        return sum / targetSums.length;
    }

    private double value(int output) {
        double errors = errorSums[output].value();
        if (!targetSums[output].isFinite() || !squareSums[output].isFinite() || !Double.isFinite(errors)) {
            return Double.NaN;
        }
        BigDecimal sum = targetSums[output].exact();
        BigDecimal scatter =
                squareSums[output].exact().multiply(BigDecimal.valueOf(rows)).subtract(sum.multiply(sum));
        double total = scatter.doubleValue() / rows;
        if (total <= 0) {
            return errors == 0 ? 1 : 0;
        }
        return 1 - errors / total;
    }

    @Override
    public NdArray snapshot() {
        int outputs = targetSums.length;
        long[] longs = new long[1 + outputs * SUMS * ExactSum.LONGS];
        longs[0] = rows;
        int at = 1;
        for (int i = 0; i < outputs; i++) {
            for (ExactSum sum : new ExactSum[] {targetSums[i], squareSums[i], errorSums[i]}) {
                System.arraycopy(sum.toLongs(), 0, longs, at, ExactSum.LONGS);
                at += ExactSum.LONGS;
            }
        }
        return row(longs);
    }

    @Override
    public void restore(NdArray snapshot) {
        long[] longs = longs(snapshot);
        int perOutput = SUMS * ExactSum.LONGS;
        if (longs.length % perOutput != 1) {
            throw new MetricException(
                    metric(),
                    "a snapshot holds " + perOutput + " numbers for each output and one more: received "
                            + longs.length);
        }
        int outputs = longs.length / perOutput;
        rows = longs[0];
        allocate(outputs);
        for (int i = 0; i < outputs; i++) {
            int at = 1 + i * perOutput;
            targetSums[i] = ExactSum.fromLongs(longs, at);
            squareSums[i] = ExactSum.fromLongs(longs, at + ExactSum.LONGS);
            errorSums[i] = ExactSum.fromLongs(longs, at + 2 * ExactSum.LONGS);
        }
    }

    private void expectOutputs(int outputs) {
        if (targetSums.length == 0) {
            allocate(outputs);
        } else if (targetSums.length != outputs) {
            throw new MetricException(
                    metric(), "all batches have the same outputs: received " + outputs + " after " + targetSums.length);
        }
    }

    private void allocate(int outputs) {
        targetSums = new ExactSum[outputs];
        squareSums = new ExactSum[outputs];
        errorSums = new ExactSum[outputs];
        for (int i = 0; i < outputs; i++) {
            targetSums[i] = new ExactSum();
            squareSums[i] = new ExactSum();
            errorSums[i] = new ExactSum();
        }
    }
}
