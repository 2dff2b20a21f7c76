package dev.tutti.nn;

import dev.tutti.array.Shape;
import dev.tutti.tensor.Tensor;
import java.util.List;

/**
 * One task's share of what all tasks have computed (Misra et al., 2016): the sum of its inputs with learned weights. The first input is
 * the task's own and begins with a weight of 0.9; the others share the rest.
 */
public final class CrossStitch extends MergeLayer<CrossStitch> {
    private static final double OWN = 0.9;

    CrossStitch() {}

    @Override
    protected Shape build(List<Shape> inputs, BuildContext build) {
        build.require(inputs.size() >= 2, "takes what at least two tasks have computed, received " + inputs.size());
        for (Shape input : inputs) {
            build.require(
                    input.matches(inputs.get(0)),
                    "needs inputs of one shape, received " + inputs.get(0) + " and " + input);
        }
        build.parameter("weight", Shape.of(inputs.size()), Initializer.ZEROS);
        return inputs.get(0);
    }

    @Override
    protected void initialise(ForwardContext pass) {
        Tensor weight = pass.parameter("weight");
        weight.fill_((1 - OWN) / (weight.size() - 1));
        weight.narrow(0, 0, 1).fill_(OWN);
    }

    @Override
    protected Tensor forward(List<Tensor> inputs, ForwardContext pass) {
        Tensor weight = pass.parameter("weight");
        Tensor sum = inputs.get(0).mul(weight.select(0, 0));
        for (int i = 1; i < inputs.size(); i++) {
            sum = sum.add(inputs.get(i).mul(weight.select(0, i)));
        }
        return sum;
    }

    @Override
    protected String script(List<String> in, ScriptWriter s) {
        String sum = s.let(in.get(0) + " * " + s.self("weight") + "[0]");
        for (int i = 1; i < in.size(); i++) {
            sum = s.let(sum + " + " + in.get(i) + " * " + s.self("weight") + "[" + i + "]");
        }
        return sum;
    }
}
