package dev.tutti.nn;

import dev.tutti.tensor.Functions;
import dev.tutti.tensor.Functions.Window;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.onednn.ConvChain;

/** Convolution over {@code [channels, height, width]}. */
public final class Conv2d extends Convolution<Conv2d> {
    private Conv2d() {
        super(2);
    }

    Conv2d(int filters, int... kernel) {
        super(2, filters, kernel);
    }

    ConvChain.Layer inStretch(ForwardContext pass) {
        return new ConvChain.Convolution(pass.held("weight"), pass.heldOrNull("bias"), window().window(), groups());
    }

    @Override
    Tensor convolve(Tensor x, Tensor weight, Tensor bias, Window window) {
        return Functions.conv2d(x, weight, bias, window, groups());
    }
}
