package dev.tutti.nn;

import dev.tutti.array.Shape;
import dev.tutti.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** What global pools have in common: of all places behind the channels one number for each channel remains. */
public abstract sealed class GlobalPooling<L extends GlobalPooling<L>> extends FluentLayer<L>
        permits GlobalMaxPool1d, GlobalMaxPool2d, GlobalAvgPool1d, GlobalAvgPool2d {
    private final transient int axes;
    private final transient boolean max;

    GlobalPooling(int axes, boolean max) {
        this.axes = axes;
        this.max = max;
    }

    /** True for {@code [time, channels]}, as sequences come out of recurrent layers and encoders. */
    boolean isTimeFirst() {
        return false;
    }

    @Override
    protected Shape build(Shape input, BuildContext build) {
        if (isTimeFirst()) {
            if (input.rank() != 2) {
                throw build.expected("[time, channels]", input);
            }
            return input.from(1);
        }
        SlidingWindow.checkInput(input, axes, false, build);
        return input.first(1);
    }

    @Override
    protected Tensor forward(Tensor x, ForwardContext pass) {
        return max ? x.max(pooled()) : x.mean(pooled());
    }

    @Override
    protected String script(List<String> in, ScriptWriter s) {
        return s.let((max ? "torch.amax(" : "torch.mean(") + in.get(0) + ", " + Arrays.toString(pooled()) + ")");
    }

    /** The axes that go, the batch being axis 0. */
    private long[] pooled() {
        return isTimeFirst() ? new long[] {1} : axes == 1 ? new long[] {2} : new long[] {2, 3};
    }
}
