package dev.tutti.nn;

import dev.tutti.array.Shape;
import dev.tutti.tensor.Tensor;
import java.util.List;
import java.util.function.BinaryOperator;
import java.util.stream.Collectors;

/** What addition and multiplication of layers have in common: several inputs of one shape become one. */
public abstract sealed class ElementwiseMerge<L extends ElementwiseMerge<L>> extends MergeLayer<L>
        permits Add, Multiply {
    private final transient BinaryOperator<Tensor> operation;
    private final transient String operator;

    ElementwiseMerge(BinaryOperator<Tensor> operation, String operator) {
        this.operation = operation;
        this.operator = operator;
    }

    @Override
    protected Shape build(List<Shape> inputs, BuildContext build) {
        build.require(inputs.size() > 1, "takes at least two inputs, received " + inputs.size());
        Shape out = inputs.get(0);
        for (int i = 1; i < inputs.size(); i++) {
            Shape other = inputs.get(i);
            build.require(
                    out.matches(other),
                    "needs inputs of one shape, but receives " + out + " from "
                            + build.sources().get(0) + " and " + other + " from "
                            + build.sources().get(i));
            for (int axis = 0; axis < out.rank(); axis++) {
                out = out.with(
                        axis, Math.max(out.dim(axis), other.dim(axis))); // a known extent, where one of them is known
            }
        }
        return out;
    }

    @Override
    protected Tensor forward(List<Tensor> inputs, ForwardContext pass) {
        return inputs.stream().reduce(operation).orElseThrow();
    }

    @Override
    protected String script(List<String> inputs, ScriptWriter s) {
        return s.let(inputs.stream().collect(Collectors.joining(" " + operator + " ")));
    }
}
