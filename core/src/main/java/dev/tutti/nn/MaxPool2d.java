package dev.tutti.nn;

import dev.tutti.tensor.Functions;
import dev.tutti.tensor.Functions.Window;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.onednn.ConvChain;

/** The largest value of each window of {@code [channels, height, width]}. */
public final class MaxPool2d extends Pooling<MaxPool2d> {
    private MaxPool2d() {
        super(2);
    }

    MaxPool2d(int... size) {
        super(2, size);
    }

    ConvChain.Layer inStretch() {
        SlidingWindow window = window();
        return new ConvChain.MaxPool(window.size(), window.window());
    }

    @Override
    Tensor pool(Tensor x, long[] size, Window window) {
        return Functions.maxPool2d(x, size, window);
    }

    @Override
    String call(SlidingWindow window) {
        return "torch.max_pool2d" + arguments(window) + ", " + ScriptWriter.list(window.dilation()) + ")";
    }
}
