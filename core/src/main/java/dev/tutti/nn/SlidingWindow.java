package dev.tutti.nn;

import dev.tutti.array.Shape;
import dev.tutti.tensor.Functions.Window;
import java.util.Arrays;

/** The arithmetic of a window that slides over the axes behind the channels: what convolutions and pools share. */
record SlidingWindow(long[] size, long[] stride, long[] padding, long[] dilation) {
    /** A setting as one number for each axis. */
    static long[] perAxis(int[] setting, int axes) {
        long[] out = new long[axes];
        for (int i = 0; i < axes; i++) {
            out[i] = setting[setting.length == 1 ? 0 : i];
        }
        return out;
    }

    /** Checks that a setting has one number, or one for each axis, and none below {@code least}. */
    static void check(String name, int[] setting, int axes, int least, BuildContext build) {
        build.require(
                setting.length == 1 || setting.length == axes,
                "takes " + (axes == 1 ? "one number" : "one number or " + axes) + " as " + name + ", received "
                        + Arrays.toString(setting));
        build.require(
                Arrays.stream(setting).allMatch(value -> value >= least),
                "needs a " + name + " of at least " + least + ", received " + Arrays.toString(setting));
    }

    /** Checks that there are channels and, behind them, as many axes as the window has. */
    static void checkInput(Shape input, int axes, boolean channelsKnown, BuildContext build) {
        if (input.rank() != axes + 1 || (channelsKnown && input.dim(0) == Shape.ANY)) {
            throw build.expected(axes == 1 ? "[channels, time]" : "[channels, height, width]", input);
        }
    }

    /** How far the window reaches along an axis, gaps included. */
    long reach(int axis) {
        return dilation[axis] * (size[axis] - 1) + 1;
    }

    /** What comes out when the window slides over {@code [channels, ...]}. */
    Shape slide(Shape input, long channels, BuildContext build) {
        Shape out = input.with(0, channels);
        for (int i = 0; i < size.length; i++) {
            long length = input.dim(i + 1);
            if (length == Shape.ANY) {
                continue;
            }
            long room = length + 2 * padding[i] - reach(i);
            if (room < 0) {
                throw build.expected(
                        "at least " + (reach(i) - 2 * padding[i]) + " along axis " + (i + 1) + " for its window of "
                                + size[i],
                        input);
            }
            out = out.with(i + 1, room / stride[i] + 1);
        }
        return out;
    }

    /** What comes out when each element of {@code [channels, ...]} is spread over a window: the way back of {@link #slide}. */
    Shape spread(Shape input, long channels, long[] outputPadding, BuildContext build) {
        Shape out = input.with(0, channels);
        for (int i = 0; i < size.length; i++) {
            long length = input.dim(i + 1);
            if (length == Shape.ANY) {
                continue;
            }
            long wide = (length - 1) * stride[i] - 2 * padding[i] + reach(i) + outputPadding[i];
            build.require(
                    wide > 0,
                    "has a padding of " + padding[i] + " that leaves nothing of axis " + (i + 1) + " of its input "
                            + input);
            out = out.with(i + 1, wide);
        }
        return out;
    }

    Window window() {
        return new Window(stride, padding, dilation);
    }
}
