package dev.tutti.nn;

import dev.tutti.array.Shape;
import dev.tutti.tensor.Functions;
import dev.tutti.tensor.Tensor;
import java.util.List;

/** Brings the last axis of each sample, or its last few, to mean 0 and deviation 1, then to what it learns. */
public final class LayerNorm extends FluentLayer<LayerNorm> {
    private int axes = 1;
    private double epsilon = 1e-5;

    LayerNorm() {}

    /** How many of the last axes are brought to one mean. */
    public LayerNorm axes(int last) {
        return copy(c -> c.axes = last);
    }

    /** What is added to the variance, so that nothing is divided by zero. */
    public LayerNorm epsilon(double value) {
        return copy(c -> c.epsilon = value);
    }

    @Override
    protected Shape build(Shape input, BuildContext build) {
        build.require(axes > 0, "needs at least 1 axis, received " + axes);
        build.require(epsilon > 0, "needs an epsilon above 0, received " + epsilon);
        if (input.rank() < axes || !input.from(input.rank() - axes).isKnown()) {
            throw build.expected(
                    axes == 1 ? "a last axis of known length" : "at least " + axes + " axes of known length", input);
        }
        Shape normalised = input.from(input.rank() - axes);
        build.parameter("weight", normalised, Initializer.ONES);
        build.parameter("bias", normalised, Initializer.ZEROS);
        return input;
    }

    @Override
    protected Tensor forward(Tensor x, ForwardContext pass) {
        Tensor weight = pass.parameter("weight");
        return Functions.layerNorm(x, weight.shape(), weight, pass.parameter("bias"), epsilon);
    }

    @Override
    protected String script(List<String> in, ScriptWriter s) {
        String weight = s.self("weight");
        return s.let("torch.layer_norm(" + in.get(0) + ", " + weight + ".size(), " + weight + ", " + s.self("bias")
                + ", " + epsilon + ")");
    }
}
