package dev.tutti.nn;

import dev.tutti.tensor.Functions;
import dev.tutti.tensor.Functions.Window;
import dev.tutti.tensor.Tensor;

/** Convolution over {@code [channels, time]}. */
public final class Conv1d extends Convolution<Conv1d> {
    private Conv1d() {
        super(1);
    }

    Conv1d(int filters, int... kernel) {
        super(1, filters, kernel);
    }

    @Override
    Tensor convolve(Tensor x, Tensor weight, Tensor bias, Window window) {
        return Functions.conv1d(x, weight, bias, window, groups());
    }
}
