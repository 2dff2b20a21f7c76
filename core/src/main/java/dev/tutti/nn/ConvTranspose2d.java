package dev.tutti.nn;

import dev.tutti.tensor.Functions;
import dev.tutti.tensor.Functions.Window;
import dev.tutti.tensor.Tensor;

/** Transposed convolution over {@code [channels, height, width]}. */
public final class ConvTranspose2d extends TransposedConvolution<ConvTranspose2d> {
    private ConvTranspose2d() {
        super(2);
    }

    ConvTranspose2d(int filters, int... kernel) {
        super(2, filters, kernel);
    }

    @Override
    Tensor convolve(Tensor x, Tensor weight, Tensor bias, Window window) {
        return Functions.convTranspose2d(x, weight, bias, window, outputPadding(), groups());
    }
}
