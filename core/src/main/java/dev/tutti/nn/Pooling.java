package dev.tutti.nn;

import dev.tutti.array.Shape;
import dev.tutti.tensor.Functions.Window;
import dev.tutti.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/**
 * What all pools have in common: each window becomes one number. Settings take one number for all axes, or one for each.
 *
 * @param <L> the kind of layer that settings return
 */
public abstract sealed class Pooling<L extends Pooling<L>> extends FluentLayer<L>
        permits MaxPool1d, MaxPool2d, AvgPool1d, AvgPool2d {
    private static final int[] DENSE = {1};

    private final transient int axes;

    @AxisSetting
    private int[] size = {2};

    @AxisSetting
    private int[] stride;

    @AxisSetting
    private int[] padding = {0};

    Pooling(int axes) {
        this.axes = axes;
    }

    Pooling(int axes, int... size) {
        this.axes = axes;
        this.size = size.clone();
    }

    /** How far the window moves; without it windows lie side by side. */
    public L stride(int... perAxis) {
        return copy(c -> ((Pooling<L>) c).stride = perAxis.clone());
    }

    /** Widens the input on both sides of an axis, by at most half a window. */
    public L padding(int... perAxis) {
        return copy(c -> ((Pooling<L>) c).padding = perAxis.clone());
    }

    abstract Tensor pool(Tensor x, long[] size, Window window);

    /** The function in TorchScript, and its arguments behind the input. */
    abstract String call(SlidingWindow window);

    @Override
    protected Shape build(Shape input, BuildContext build) {
        SlidingWindow.checkInput(input, axes, false, build);
        SlidingWindow.check("size", size, axes, 1, build);
        SlidingWindow.check("stride", stride == null ? size : stride, axes, 1, build);
        SlidingWindow.check("padding", padding, axes, 0, build);
        SlidingWindow window = window();
        for (int i = 0; i < axes; i++) {
            build.require(
                    2 * window.padding()[i] <= window.size()[i],
                    "needs a padding of at most half its window of " + Arrays.toString(window.size()) + ", received "
                            + Arrays.toString(window.padding()));
        }
        return window.slide(input, input.dim(0), build);
    }

    @Override
    protected Tensor forward(Tensor x, ForwardContext pass) {
        SlidingWindow window = window();
        return pool(x, window.size(), window.window());
    }

    @Override
    protected String script(List<String> in, ScriptWriter s) {
        return s.let(call(window()).formatted(in.get(0)));
    }

    final SlidingWindow window() {
        return new SlidingWindow(
                perAxis(size), perAxis(stride == null ? size : stride), perAxis(padding), perAxis(DENSE));
    }

    private long[] perAxis(int[] setting) {
        return SlidingWindow.perAxis(setting, axes);
    }

    /** The arguments that all pools begin with. */
    static String arguments(SlidingWindow w) {
        return "(%s, " + ScriptWriter.list(w.size()) + ", " + ScriptWriter.list(w.stride()) + ", "
                + ScriptWriter.list(w.padding());
    }
}
