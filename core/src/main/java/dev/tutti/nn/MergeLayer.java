package dev.tutti.nn;

import dev.tutti.array.Shape;
import dev.tutti.tensor.Tensor;
import java.util.List;

/** A layer that takes several inputs, such as addition. */
public abstract class MergeLayer<L extends MergeLayer<L>> extends FluentLayer<L> {
    @Override
    protected abstract Shape build(List<Shape> inputs, BuildContext build);

    @Override
    protected abstract Tensor forward(List<Tensor> inputs, ForwardContext pass);

    @Override
    protected final Shape build(Shape input, BuildContext build) {
        return build(List.of(input), build);
    }

    @Override
    protected final Tensor forward(Tensor x, ForwardContext pass) {
        return forward(List.of(x), pass);
    }
}
