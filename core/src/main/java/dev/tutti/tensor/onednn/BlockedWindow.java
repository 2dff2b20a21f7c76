package dev.tutti.tensor.onednn;

import dev.tutti.array.Shape;
import dev.tutti.tensor.Functions.Window;
import java.util.Arrays;

/** A window that slides over height and width, in oneDNN's numbers. */
record BlockedWindow(long[] size, long[] stride, long[] padding, long[] gaps) {
    static BlockedWindow of(ConvChain.Convolution convolution) {
        Shape weight = convolution.weight().shape();
        return of(new long[] {weight.dim(2), weight.dim(3)}, convolution.window());
    }

    static BlockedWindow of(ConvChain.MaxPool pool) {
        return of(pool.size(), pool.window());
    }

    private static BlockedWindow of(long[] size, Window window) {
        return new BlockedWindow(
                size,
                window.stride(),
                window.padding(),
                Arrays.stream(window.dilation()).map(step -> step - 1).toArray());
    }

    /** The lengths {@code [rows, channels, height, width]} of what comes out. */
    long[] slide(long[] input, long channels) {
        return new long[] {input[0], channels, slide(input[2], 0), slide(input[3], 1)};
    }

    private long slide(long length, int axis) {
        long reach = (size[axis] - 1) * (gaps[axis] + 1) + 1;
        return Math.floorDiv(length + 2 * padding[axis] - reach, stride[axis]) + 1;
    }
}
