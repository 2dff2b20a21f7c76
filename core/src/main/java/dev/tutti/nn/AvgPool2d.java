package dev.tutti.nn;

import dev.tutti.tensor.Functions;
import dev.tutti.tensor.Functions.Window;
import dev.tutti.tensor.Tensor;

/** The mean of each window of {@code [channels, height, width]}. */
public final class AvgPool2d extends Pooling<AvgPool2d> {
    private AvgPool2d() {
        super(2);
    }

    AvgPool2d(int... size) {
        super(2, size);
    }

    @Override
    Tensor pool(Tensor x, long[] size, Window window) {
        return Functions.avgPool2d(x, size, window);
    }

    @Override
    String call(SlidingWindow window) {
        return "torch.avg_pool2d" + arguments(window) + ")";
    }
}
