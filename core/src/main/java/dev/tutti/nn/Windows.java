package dev.tutti.nn;

import dev.tutti.tensor.Functions.Window;
import dev.tutti.tensor.Shape;
import java.util.Arrays;

/** The arithmetic of windows that slide over the axes behind the channels: convolutions and pooling. */
final class Windows {
    private Windows() {}

    static Window of(int[] stride, int[] padding, int[] dilation) {
        return new Window(longs(stride), longs(padding), longs(dilation));
    }

    static long[] longs(int[] values) {
        return Arrays.stream(values).asLongStream().toArray();
    }

    /** What comes out of {@code [channels, ...]} when the window slides over it. */
    static Shape slide(Shape input, long channels, int[] size, int[] stride, int[] padding, int[] dilation, Build build) {
        long[] out = input.toArray();
        out[0] = channels;
        for (int i = 0; i < size.length; i++) {
            build.require(size[i] > 0 && stride[i] > 0 && dilation[i] > 0 && padding[i] >= 0,
                    "needs window, stride and dilation of at least 1 and padding of at least 0");
            if (out[i + 1] == Shape.ANY) {
                continue;
            }
            long reach = (long) dilation[i] * (size[i] - 1) + 1;
            out[i + 1] = Math.floorDiv(out[i + 1] + 2L * padding[i] - reach, stride[i]) + 1;
            if (out[i + 1] < 1) {
                throw build.expected("at least " + (reach - 2L * padding[i]) + " along axis " + (i + 1)
                        + " for its window of " + size[i], input);
            }
        }
        return Shape.of(out);
    }

    static String script(int[] stride, int[] padding, int[] dilation) {
        return Arrays.toString(stride) + ", " + Arrays.toString(padding) + ", " + Arrays.toString(dilation);
    }
}
