package dev.tutti.nn;

import dev.tutti.array.Shape;
import dev.tutti.tensor.Tensor;
import java.util.List;

/** Its inputs one behind the other along an axis of the sample: the last one, unless another is given. */
public final class Concatenate extends MergeLayer<Concatenate> {
    private int axis = -1;

    private Concatenate() {}

    Concatenate(int axis) {
        this.axis = axis;
    }

    @Override
    protected Shape build(List<Shape> inputs, BuildContext build) {
        Shape first = inputs.get(0);
        build.require(
                axis >= -first.rank() && axis < first.rank(),
                "concatenates along axis " + axis + ", which its input " + first + " from "
                        + build.sources().get(0) + " does not have");
        long length = 0;
        Shape out = first;
        for (int i = 0; i < inputs.size(); i++) {
            Shape input = inputs.get(i);
            boolean fits =
                    input.rank() == first.rank() && first.with(axis, Shape.ANY).matches(input);
            build.require(
                    fits,
                    "needs inputs that differ along axis " + axis + " alone, but receives " + first + " from "
                            + build.sources().get(0) + " and " + input + " from "
                            + build.sources().get(i));
            length = length == Shape.ANY || input.dim(axis) == Shape.ANY ? Shape.ANY : length + input.dim(axis);
            for (int k = 0; k < out.rank(); k++) {
                out = out.with(k, Math.max(out.dim(k), input.dim(k))); // a known extent, where one of them is known
            }
        }
        return out.with(axis, length);
    }

    @Override
    protected Tensor forward(List<Tensor> inputs, ForwardContext pass) {
        return Tensor.concat(inputs, axis < 0 ? axis : axis + 1);
    }

    @Override
    protected String script(List<String> inputs, ScriptWriter s) {
        return s.let("torch.cat([" + String.join(", ", inputs) + "], " + (axis < 0 ? axis : axis + 1) + ")");
    }
}
