package dev.tutti.nn;

import static dev.tutti.nn.Initializer.FAN_IN;

import dev.tutti.array.Shape;
import dev.tutti.tensor.Functions.Window;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.vector.ParameterLayout;
import java.util.Arrays;
import java.util.List;

/**
 * What all convolutions have in common. Settings take one number for all axes, or one for each.
 *
 * @param <L> the kind of layer that settings return
 */
public abstract sealed class Convolution<L extends Convolution<L>> extends FluentLayer<L>
        permits Conv1d, Conv2d, TransposedConvolution {
    private final transient int axes;
    private int filters;

    @AxisSetting
    private int[] kernel = {3};

    @AxisSetting
    private int[] stride = {1};

    @AxisSetting
    private int[] padding = {0};

    private boolean same;

    @AxisSetting
    private int[] dilation = {1};

    private int groups = 1;
    private boolean bias = true;
    private Initializer init = FAN_IN;

    Convolution(int axes) {
        this.axes = axes;
    }

    Convolution(int axes, int filters, int... kernel) {
        this(axes);
        this.filters = filters;
        this.kernel = kernel.clone();
    }

    /** How far the kernel moves from one output to the next. */
    public L stride(int... perAxis) {
        return copy(c -> ((Convolution<L>) c).stride = perAxis.clone());
    }

    /** Zeros put round the input, on both sides of an axis. */
    public L padding(int... perAxis) {
        return copy(c -> ((Convolution<L>) c).padding = perAxis.clone());
    }

    /** Pads so that, at a stride of 1, what comes out is as long as what goes in; for odd kernels. */
    public L same() {
        return copy(c -> ((Convolution<L>) c).same = true);
    }

    /** The distance between neighbouring elements of the kernel. */
    public L dilation(int... perAxis) {
        return copy(c -> ((Convolution<L>) c).dilation = perAxis.clone());
    }

    /** Cuts the channels into groups that do not see each other; as many as channels is a depthwise convolution. */
    public L groups(int count) {
        return copy(c -> ((Convolution<L>) c).groups = count);
    }

    public L noBias() {
        return copy(c -> ((Convolution<L>) c).bias = false);
    }

    public L init(Initializer initializer) {
        return copy(c -> ((Convolution<L>) c).init = initializer);
    }

    /** Runs the engine's own function for this kind of convolution. */
    abstract Tensor convolve(Tensor x, Tensor weight, Tensor bias, Window window);

    Shape weight(long channels) {
        return kernelShape(filters, channels / groups);
    }

    Shape output(Shape input, SlidingWindow window, BuildContext build) {
        return window.slide(input, filters, build);
    }

    /** Half of what the window reaches beyond one element. */
    long samePadding(SlidingWindow window, int axis) {
        return (window.reach(axis) - 1) / 2;
    }

    /** Whether {@link #same()} is possible: the padding is equal on both sides. */
    void checkSame(SlidingWindow window, int axis, BuildContext build) {
        build.require(
                window.reach(axis) % 2 == 1,
                "cannot keep the length of axis " + (axis + 1) + " with a kernel of " + window.size()[axis]
                        + ": same() takes odd kernels");
    }

    /** The function in TorchScript, and its arguments behind the bias. */
    String call(SlidingWindow w) {
        return "torch.conv" + axes + "d(%s, " + ScriptWriter.list(w.stride()) + ", " + ScriptWriter.list(w.padding())
                + ", " + ScriptWriter.list(w.dilation()) + ", " + groups + ")";
    }

    @Override
    protected Shape build(Shape input, BuildContext build) {
        SlidingWindow.checkInput(input, axes, true, build);
        build.require(filters > 0, "needs filters of at least 1, received " + filters);
        SlidingWindow.check("kernel", kernel, axes, 1, build);
        SlidingWindow.check("stride", stride, axes, 1, build);
        SlidingWindow.check("padding", padding, axes, 0, build);
        SlidingWindow.check("dilation", dilation, axes, 1, build);
        long channels = input.dim(0);
        build.require(
                groups > 0 && channels % groups == 0 && filters % groups == 0,
                "has " + groups + " groups, which must divide both its " + channels + " channels and " + filters
                        + " filters");
        Shape weight = weight(channels);
        long area = Arrays.stream(perAxis(kernel)).reduce(1, Math::multiplyExact);
        long fanIn = weight.from(1).size();
        build.parameter(
                "weight",
                weight,
                init,
                fanIn,
                weight.dim(0) / groups * area,
                axes == 2 ? ParameterLayout.CHANNELS_LAST : ParameterLayout.PLAIN);
        if (bias) {
            build.parameter(
                    "bias",
                    Shape.of(filters),
                    init == FAN_IN ? FAN_IN : Initializer.ZEROS,
                    fanIn,
                    filters,
                    ParameterLayout.PLAIN);
        }
        SlidingWindow window = window();
        for (int i = 0; same && i < axes; i++) {
            checkSame(window, i, build);
        }
        return output(input, window, build);
    }

    @Override
    protected Tensor forward(Tensor x, ForwardContext pass) {
        return pass.int8()
                .map(parts -> parts.convolution(pass.parameter("weight"), bias(pass), this)
                        .of(x))
                .orElseGet(() -> convolve(x, pass.parameter("weight"), bias(pass), window().window()));
    }

    /** Null where there is none. */
    final Tensor bias(ForwardContext pass) {
        return bias ? pass.parameter("bias") : null;
    }

    @Override
    protected boolean isOutputFresh() {
        return true;
    }

    @Override
    protected String script(List<String> in, ScriptWriter s) {
        return s.let(call(window())
                .formatted(in.get(0) + ", " + s.self("weight") + ", " + (bias ? s.self("bias") : "None")));
    }

    final int axes() {
        return axes;
    }

    final int filters() {
        return filters;
    }

    /** The same with another number of filters. */
    final L filters(int count) {
        return copy(c -> ((Convolution<L>) c).filters = count);
    }

    final int groups() {
        return groups;
    }

    final boolean isSame() {
        return same;
    }

    final long[] perAxis(int[] setting) {
        return SlidingWindow.perAxis(setting, axes);
    }

    /** The shape of a weight that connects so many channels, kernel last. */
    final Shape kernelShape(long out, long in) {
        Shape shape = Shape.of(out, in);
        for (long extent : perAxis(kernel)) {
            shape = shape.append(extent);
        }
        return shape;
    }

    final SlidingWindow window() {
        var window = new SlidingWindow(perAxis(kernel), perAxis(stride), perAxis(padding), perAxis(dilation));
        for (int i = 0; same && i < axes; i++) {
            window.padding()[i] = samePadding(window, i);
        }
        return window;
    }
}
