package dev.tutti.nn;

import dev.tutti.tensor.Functions;
import dev.tutti.tensor.Functions.Window;
import dev.tutti.tensor.Tensor;

/** The mean of each window of {@code [channels, time]}. */
public final class AvgPool1d extends Pooling<AvgPool1d> {
    private AvgPool1d() {
        super(1);
    }

    AvgPool1d(int... size) {
        super(1, size);
    }

    @Override
    Tensor pool(Tensor x, long[] size, Window window) {
        return Functions.avgPool1d(x, size, window);
    }

    @Override
    String call(SlidingWindow window) {
        return "torch.avg_pool1d" + arguments(window) + ")";
    }
}
