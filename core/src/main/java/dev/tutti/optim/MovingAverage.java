package dev.tutti.optim;

import dev.tutti.BoundedNumber;
import dev.tutti.array.DType;
import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.vector.FlatVector;
import java.util.Map;

/**
 * The moving average of a vector's values: smoother than the values themselves, and often better on new data.
 *
 * <p>Order of calls: {@link #update} after each step. To evaluate or save the averaged model:
 *
 * <pre>{@code
 * try (var averaged = average.swapIn()) {
 *     // the model has the averaged values here, and its own again afterwards, bit for bit
 * }
 * }</pre>
 */
public final class MovingAverage implements AutoCloseable {
    private final double decay;
    private final boolean warmup;
    private final Tensor values;
    private final Tensor average;
    private final Tensor updates;
    private boolean swapped;

    private MovingAverage(FlatVector vector, Range range, double decay, boolean warmup) {
        new BoundedNumber("movingAverage", "decay", decay).atLeast(0).below(1);
        this.decay = decay;
        this.warmup = warmup;
        values = vector.values(range).retain();
        average = values.copy().retain();
        updates = Tensor.zeros(Shape.scalar(), DType.FLOAT64).retain();
    }

    /** Averages the whole vector, beginning with the values of now; a decay of 0.999 looks back about 1000 steps. */
    public static MovingAverage of(FlatVector vector, double decay) {
        return new MovingAverage(vector, vector.all(), decay, false);
    }

    /** Averages a part of the vector. */
    public static MovingAverage of(FlatVector vector, Range range, double decay) {
        return new MovingAverage(vector, range, decay, false);
    }

    /**
     * An average that moves fast at first, so that the untrained values are soon forgotten: the decay of update {@code
     * n}, counted from 0, is at most {@code (1 + n) / (10 + n)}.
     */
    public static MovingAverage withWarmup(FlatVector vector, double decay) {
        return new MovingAverage(vector, vector.all(), decay, true);
    }

    /** Takes in the values as they are now. */
    public void update() {
        requireSwappedOut("update");
        try (Scope scope = Scope.open()) {
            average.lerp_(values, 1 - currentDecay());
            updates.add_(1);
        }
    }

    private double currentDecay() {
        if (!warmup) {
            return decay;
        }
        double n = updates.item();
        return Math.min(decay, (1 + n) / (10 + n));
    }

    /** Exchanges the values and their average until the result is closed. */
    public Swap swapIn() {
        requireSwappedOut("swapIn");
        exchange();
        swapped = true;
        return () -> {
            if (swapped) {
                exchange();
                swapped = false;
            }
        };
    }

    private void exchange() {
        try (Scope scope = Scope.open()) {
            Tensor held = values.copy();
            values.copy_(average);
            average.copy_(held);
        }
    }

    /** The time in which a model has its averaged values; closing it puts its own back. */
    public interface Swap extends AutoCloseable {
        @Override
        void close();
    }

    /** What a checkpoint has to hold. Writing to it restores. */
    public Map<String, Tensor> state() {
        requireSwappedOut("state");
        return Map.of("average", average, "updates", updates);
    }

    private void requireSwappedOut(String call) {
        if (swapped) {
            throw new IllegalStateException(
                    call + " of a moving average whose values are swapped in: close the swap first");
        }
    }

    @Override
    public void close() {
        values.close();
        average.close();
        updates.close();
    }
}
