package dev.tutti.nn;

import dev.tutti.tensor.Functions;
import dev.tutti.tensor.Shape;
import dev.tutti.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** The largest value in each window of {@code [channels, height, width]}. */
public final class MaxPool2d extends Layer {
    private static final int[] DENSE = {1, 1};

    private int[] size = {2, 2};
    private int[] stride;
    private int[] padding = {0, 0};

    private MaxPool2d() {}

    MaxPool2d(int size) {
        this.size = new int[] {size, size};
    }

    /** Without it the windows lie side by side. */
    public MaxPool2d stride(int both) {
        return copy(c -> c.stride = new int[] {both, both});
    }

    public MaxPool2d padding(int both) {
        return copy(c -> c.padding = new int[] {both, both});
    }

    @Override
    protected Shape build(Shape input, Build build) {
        if (input.rank() != 3) {
            throw build.expected("[channels, height, width]", input);
        }
        return Windows.slide(input, input.dim(0), size, step(), padding, DENSE, build);
    }

    @Override
    protected Tensor forward(Tensor x, Pass pass) {
        return Functions.maxPool2d(x, Windows.longs(size), Windows.of(step(), padding, DENSE));
    }

    @Override
    protected String script(List<String> in, ScriptWriter s) {
        return s.let("torch.max_pool2d(" + in.get(0) + ", " + Arrays.toString(size) + ", "
                + Windows.script(step(), padding, DENSE) + ")");
    }

    private int[] step() {
        return stride == null ? size : stride;
    }
}
