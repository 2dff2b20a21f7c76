package dev.tutti.nn;

import dev.tutti.array.Shape;
import dev.tutti.tensor.Tensor;
import java.util.List;

/** A layer that may give several outputs; among layers with one it is used when it has one. */
abstract class MultiOutput<L extends MultiOutput<L>> extends MergeLayer<L> {
    abstract List<Shape> buildAll(List<Shape> inputs, BuildContext build);

    abstract List<Tensor> forwardAll(List<Tensor> inputs, ForwardContext pass);

    abstract List<String> scriptAll(List<String> inputs, ScriptWriter script);

    @Override
    protected final Shape build(List<Shape> inputs, BuildContext build) {
        List<Shape> outputs = buildAll(inputs, build);
        build.require(outputs.size() == 1, "has " + outputs.size() + " outputs where one is needed");
        return outputs.get(0);
    }

    @Override
    protected final Tensor forward(List<Tensor> inputs, ForwardContext pass) {
        return forwardAll(inputs, pass).get(0);
    }
}
