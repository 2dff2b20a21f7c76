package dev.tutti.metric;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import java.util.function.DoubleUnaryOperator;

/** The mean over all numbers of something made of the difference between prediction and target. */
final class ErrorState extends NamedState {
    private final DoubleUnaryOperator error;
    private final DoubleUnaryOperator result;
    private Mean mean = new Mean();

    /**
     * @param error what is averaged, from the difference
     * @param result what the mean becomes in the end
     */
    ErrorState(String metric, DoubleUnaryOperator error, DoubleUnaryOperator result) {
        super(metric);
        this.error = error;
        this.result = result;
    }

    @Override
    public void update(NdArray predictions, NdArray targets) {
        checkShapes(metric(), predictions, targets);
        int size = predictions.size();
        if (predictions.type() == DType.FLOAT32 && targets.type() == DType.FLOAT32) {
            float[] predicted = predictions.floats();
            float[] actual = targets.floats();
            for (int i = 0; i < size; i++) {
                mean.add(error.applyAsDouble((double) predicted[i] - actual[i]));
            }
        } else {
            for (int i = 0; i < size; i++) {
                mean.add(error.applyAsDouble(predictions.at(i) - targets.at(i)));
            }
        }
    }

    static void checkShapes(String metric, NdArray predictions, NdArray targets) {
        if (!predictions.shape().equals(targets.shape())) {
            throw new MetricException(
                    metric,
                    "predictions and targets have the same shape: received " + predictions.shape() + " and "
                            + targets.shape());
        }
    }

    @Override
    public void merge(MetricState other) {
        mean.add(same(other, ErrorState.class).mean);
    }

    @Override
    public double value() {
        return result.applyAsDouble(mean.value());
    }

    @Override
    public NdArray snapshot() {
        return row(mean.toLongs());
    }

    @Override
    public void restore(NdArray snapshot) {
        mean = Mean.fromLongs(longs(snapshot, Mean.LONGS), 0);
    }
}
