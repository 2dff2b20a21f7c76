package dev.tutti.nn;

import dev.tutti.tensor.Functions;
import dev.tutti.tensor.Functions.Window;
import dev.tutti.tensor.Tensor;

/** Transposed convolution over {@code [channels, time]}. */
public final class ConvTranspose1d extends TransposedConvolution<ConvTranspose1d> {
    private ConvTranspose1d() {
        super(1);
    }

    ConvTranspose1d(int filters, int... kernel) {
        super(1, filters, kernel);
    }

    @Override
    Tensor convolve(Tensor x, Tensor weight, Tensor bias, Window window) {
        return Functions.convTranspose1d(x, weight, bias, window, outputPadding(), groups());
    }
}
