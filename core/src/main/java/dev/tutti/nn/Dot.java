package dev.tutti.nn;

import dev.tutti.array.Shape;
import dev.tutti.tensor.Tensor;
import java.util.List;

/** The inner product of two inputs along their last axis, as matrix factorisation needs it: {@code [width]} twice becomes {@code [1]}. */
public final class Dot extends MergeLayer<Dot> {
    Dot() {}

    @Override
    protected Shape build(List<Shape> inputs, BuildContext build) {
        build.require(inputs.size() == 2, "takes two inputs, received " + inputs.size());
        Shape first = inputs.get(0);
        build.require(
                first.rank() > 0 && first.matches(inputs.get(1)),
                "needs inputs of one shape, but receives " + first + " from "
                        + build.sources().get(0) + " and " + inputs.get(1) + " from "
                        + build.sources().get(1));
        return first.with(-1, 1);
    }

    @Override
    protected Tensor forward(List<Tensor> inputs, ForwardContext pass) {
        return inputs.get(0).mul(inputs.get(1)).sum(-1).unsqueeze(-1);
    }

    @Override
    protected String script(List<String> inputs, ScriptWriter s) {
        return s.let("(" + inputs.get(0) + " * " + inputs.get(1) + ").sum(-1, keepdim=True)");
    }
}
