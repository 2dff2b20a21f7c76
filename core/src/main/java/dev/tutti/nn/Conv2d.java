package dev.tutti.nn;

import static dev.tutti.nn.Initializer.FAN_IN;

import dev.tutti.tensor.Functions;
import dev.tutti.tensor.Layout;
import dev.tutti.tensor.Shape;
import dev.tutti.tensor.Tensor;
import java.util.List;

/** Convolution over {@code [channels, height, width]}. */
public final class Conv2d extends Layer {
    private int filters;
    private int[] kernel = {3, 3};
    private int[] stride = {1, 1};
    private int[] padding = {0, 0};
    private int[] dilation = {1, 1};
    private int groups = 1;
    private boolean bias = true;
    private Initializer init = FAN_IN;

    private Conv2d() {}

    Conv2d(int filters, int height, int width) {
        this.filters = filters;
        this.kernel = new int[] {height, width};
    }

    public Conv2d stride(int both) {
        return copy(c -> c.stride = new int[] {both, both});
    }

    public Conv2d padding(int both) {
        return copy(c -> c.padding = new int[] {both, both});
    }

    /** Padding that keeps height and width, for odd kernels and a stride of 1. */
    public Conv2d same() {
        int[] half = {dilation[0] * (kernel[0] - 1) / 2, dilation[1] * (kernel[1] - 1) / 2};
        return copy(c -> c.padding = half);
    }

    public Conv2d dilation(int both) {
        return copy(c -> c.dilation = new int[] {both, both});
    }

    public Conv2d groups(int count) {
        return copy(c -> c.groups = count);
    }

    public Conv2d noBias() {
        return copy(c -> c.bias = false);
    }

    public Conv2d init(Initializer initializer) {
        return copy(c -> c.init = initializer);
    }

    @Override
    protected Shape build(Shape input, Build build) {
        if (input.rank() != 3 || input.dim(0) == Shape.ANY) {
            throw build.expected("[channels, height, width]", input);
        }
        build.require(filters > 0, "needs filters of at least 1, received " + filters);
        long channels = input.dim(0);
        build.require(groups > 0 && channels % groups == 0 && filters % groups == 0,
                "has " + groups + " groups, which must divide both its " + channels + " channels and " + filters + " filters");
        Shape weight = Shape.of(filters, channels / groups, kernel[0], kernel[1]);
        long fanIn = weight.from(1).size();
        build.parameter("weight", weight, init, fanIn, fanIn * filters / channels, Layout.CHANNELS_LAST);
        if (bias) {
            build.parameter("bias", Shape.of(filters), init == FAN_IN ? FAN_IN : Initializer.ZEROS, fanIn, filters,
                    Layout.PLAIN);
        }
        return Windows.slide(input, filters, kernel, stride, padding, dilation, build);
    }

    @Override
    protected Tensor forward(Tensor x, Pass pass) {
        return Functions.conv2d(x, pass.parameter("weight"), bias ? pass.parameter("bias") : null,
                Windows.of(stride, padding, dilation), groups);
    }

    @Override
    protected String script(List<String> in, ScriptWriter s) {
        return s.let("torch.conv2d(" + in.get(0) + ", " + s.self("weight") + ", " + (bias ? s.self("bias") : "None") + ", "
                + Windows.script(stride, padding, dilation) + ", " + groups + ")");
    }
}
