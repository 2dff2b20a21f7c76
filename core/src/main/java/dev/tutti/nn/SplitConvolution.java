package dev.tutti.nn;

import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.tensor.Tensor;

/** Some of the filters of a {@link Convolution}; the channels of all members are gathered behind it. */
final class SplitConvolution extends FluentLayer<SplitConvolution> {
    private final transient Convolution<?> own;
    private final transient Range filters;
    private final transient long all;

    /** @param own the convolution with these filters alone */
    SplitConvolution(Convolution<?> own, Range filters, long all) {
        this.own = own;
        this.filters = filters;
        this.all = all;
    }

    @Override
    public String kind() {
        return own.kind();
    }

    @Override
    protected Shape build(Shape input, BuildContext build) {
        Shape output = own.build(input, build).with(0, all);
        build.sums(output, input);
        return output;
    }

    @Override
    protected Tensor forward(Tensor x, ForwardContext pass) {
        return SplitDense.gathered(own.forward(pass.sharedBySlices(x), pass), 1, filters, all, pass);
    }
}
