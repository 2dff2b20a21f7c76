package dev.tutti.tensor.onednn;

import static dev.tutti.tensor.onednn.OneDnnOperation.Argument.RESULT;
import static dev.tutti.tensor.onednn.OneDnnOperation.Argument.RESULT_GRADIENT;
import static dev.tutti.tensor.onednn.OneDnnOperation.Argument.SOURCE;
import static dev.tutti.tensor.onednn.OneDnnOperation.Argument.SOURCE_GRADIENT;
import static dev.tutti.tensor.onednn.OneDnnOperation.Argument.WORKSPACE;

import dev.tutti.array.DType;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.vector.GradientSink;
import java.util.Deque;

/** The greatest value of each window. */
final class BlockedMaxPool implements BlockedLayer {
    private static final int MAX = 0x1ff;

    private final Output output;
    private final OneDnnOperation forward;
    private final OneDnnOperation backward;

    BlockedMaxPool(OneDnnObjects objects, Output input, ConvChain.MaxPool pool) {
        BlockedWindow window = BlockedWindow.of(pool);
        long[] lengths = window.slide(input.lengths(), input.lengths()[1]);
        long any = objects.anyLayout(input.type(), lengths);
        long attributes = objects.attributes(false);
        long there = objects.description(
                "pool",
                out -> OneDnn.Functions.dnnl_pooling_forward_primitive_desc_create(
                        out,
                        OneDnn.engine(),
                        OneDnn.FOR_TRAINING,
                        MAX,
                        input.layout(),
                        any,
                        window.stride(),
                        window.size(),
                        window.gaps(),
                        window.padding(),
                        window.padding(),
                        attributes));
        forward = new OneDnnOperation(objects, there, SOURCE, RESULT, WORKSPACE);
        output = new Output(lengths, forward.layout(RESULT), input.type());
        long back = objects.description(
                "pool",
                out -> OneDnn.Functions.dnnl_pooling_backward_primitive_desc_create(
                        out,
                        OneDnn.engine(),
                        MAX,
                        input.layout(),
                        output.layout(),
                        window.stride(),
                        window.size(),
                        window.gaps(),
                        window.padding(),
                        window.padding(),
                        there,
                        attributes));
        backward = new OneDnnOperation(objects, back, SOURCE_GRADIENT, RESULT_GRADIENT, WORKSPACE);
    }

    @Override
    public Output output() {
        return output;
    }

    @Override
    public Tensor forward(Tensor x, Deque<Tensor> saved) {
        Tensor result = forward.memory(RESULT, output.type());
        Tensor workspace = forward.memory(WORKSPACE, DType.UINT8);
        forward.place(SOURCE, x)
                .place(RESULT, result)
                .place(WORKSPACE, workspace)
                .run("pool");
        saved.push(workspace);
        return result;
    }

    @Override
    public Tensor backward(Tensor above, Deque<Tensor> saved, boolean wanted, GradientSink sink) {
        Tensor workspace = saved.pop();
        if (!wanted) {
            return null;
        }
        Tensor below = backward.memory(SOURCE_GRADIENT, output.type());
        backward.place(RESULT_GRADIENT, above)
                .place(SOURCE_GRADIENT, below)
                .place(WORKSPACE, workspace)
                .run("pool");
        return below;
    }
}
