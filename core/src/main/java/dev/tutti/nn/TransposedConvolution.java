package dev.tutti.nn;

import dev.tutti.array.Shape;

/**
 * What transposed convolutions have in common: each element is spread over a window, so that what a convolution made shorter
 * becomes longer again. {@link #same()} makes the output exactly {@code stride} times as long as the input.
 *
 * @param <L> the kind of layer that settings return
 */
public abstract sealed class TransposedConvolution<L extends TransposedConvolution<L>> extends Convolution<L>
        permits ConvTranspose1d, ConvTranspose2d {
    @AxisSetting
    private int[] outputPadding = {0};

    TransposedConvolution(int axes) {
        super(axes);
    }

    TransposedConvolution(int axes, int filters, int... kernel) {
        super(axes, filters, kernel);
    }

    /** Extends the output at its end: several input lengths shrink to the same one, and this selects which to restore. */
    public L outputPadding(int... perAxis) {
        return copy(c -> ((TransposedConvolution<L>) c).outputPadding = perAxis.clone());
    }

    final long[] outputPadding() {
        if (!isSame()) {
            return perAxis(outputPadding);
        }
        SlidingWindow window = window();
        long[] rest = new long[axes()];
        for (int i = 0; i < rest.length; i++) {
            rest[i] = 2 * window.padding()[i] - (window.reach(i) - window.stride()[i]);
        }
        return rest;
    }

    @Override
    Shape weight(long channels) {
        return kernelShape(channels, filters() / groups());
    }

    @Override
    Shape output(Shape input, SlidingWindow window, BuildContext build) {
        SlidingWindow.check("outputPadding", outputPadding, axes(), 0, build);
        long[] rest = outputPadding();
        for (int i = 0; i < rest.length; i++) {
            long limit = Math.max(window.stride()[i], window.dilation()[i]);
            build.require(
                    rest[i] < limit,
                    "needs an output padding below its stride or dilation of " + limit + ", received " + rest[i]);
        }
        return window.spread(input, filters(), rest, build);
    }

    @Override
    long samePadding(SlidingWindow window, int axis) {
        return (window.reach(axis) - window.stride()[axis] + 1) / 2;
    }

    @Override
    void checkSame(SlidingWindow window, int axis, BuildContext build) {
        build.require(
                window.reach(axis) >= window.stride()[axis],
                "needs a kernel at least as long as its stride of " + window.stride()[axis] + " for same(), received "
                        + window.size()[axis]);
    }

    @Override
    String call(SlidingWindow w) {
        return "torch.conv_transpose" + axes() + "d(%s, " + ScriptWriter.list(w.stride()) + ", "
                + ScriptWriter.list(w.padding()) + ", " + ScriptWriter.list(outputPadding()) + ", " + groups() + ", "
                + ScriptWriter.list(w.dilation()) + ")";
    }
}
