package dev.tutti.nn;

import dev.tutti.tensor.Functions;
import dev.tutti.tensor.Functions.Window;
import dev.tutti.tensor.Tensor;

/** The largest value of each window of {@code [channels, time]}. */
public final class MaxPool1d extends Pooling<MaxPool1d> {
    private MaxPool1d() {
        super(1);
    }

    MaxPool1d(int... size) {
        super(1, size);
    }

    @Override
    Tensor pool(Tensor x, long[] size, Window window) {
        return Functions.maxPool1d(x, size, window);
    }

    @Override
    String call(SlidingWindow window) {
        return "torch.max_pool1d" + arguments(window) + ", " + ScriptWriter.list(window.dilation()) + ")";
    }
}
