package dev.tutti.tensor.onednn;

import dev.tutti.array.DType;
import dev.tutti.array.Shape;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.vector.GradientSink;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** A {@link ConvChain} made ready for one shape of its input, and as many cores as the thread that made it ready may use. */
public final class BlockedConvChain implements AutoCloseable {
    private final OneDnnObjects objects = new OneDnnObjects();
    private final List<BlockedLayer> layers = new ArrayList<>();
    private final OneDnnRelayout leave;
    private final OneDnnRelayout enterAgain;
    private final Shape output;

    /**
     * @param given the type of the input and of its gradient
     * @param type what is computed in, and the type of the output
     */
    BlockedConvChain(List<ConvChain.Layer> definitions, Shape input, DType given, DType type) {
        try {
            var last = new BlockedLayer.Output(input.toArray(), plain(given, input.toArray()), given);
            for (ConvChain.Layer definition : definitions) {
                BlockedLayer layer = ready(definition, last, type);
                layers.add(layer);
                last = layer.output();
            }
            output = Shape.of(last.lengths());
            long plain = plain(type, last.lengths());
            leave = new OneDnnRelayout(objects, last.layout(), plain, type);
            enterAgain = new OneDnnRelayout(objects, plain, last.layout(), last.type());
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    private BlockedLayer ready(ConvChain.Layer definition, BlockedLayer.Output input, DType type) {
        if (definition instanceof ConvChain.Convolution convolution) {
            return new BlockedConvolution(objects, input, convolution, type);
        }
        if (definition instanceof ConvChain.MaxPool pool) {
            return new BlockedMaxPool(objects, input, pool);
        }
        return new BlockedRectifier(input);
    }

    /** Rows, channels, height and width one after the other. */
    private long plain(DType type, long[] lengths) {
        long[] strides = new long[lengths.length];
        long stride = 1;
        for (int axis = lengths.length - 1; axis >= 0; axis--) {
            strides[axis] = stride;
            stride *= lengths[axis];
        }
        return objects.layout(type, lengths, strides);
    }

    /** What came out of a forward pass, and what the layers need on the way back. */
    public record Result(Tensor output, Deque<Tensor> saved) {}

    public Result forward(Tensor x) {
        Deque<Tensor> saved = new ArrayDeque<>();
        Tensor values = x.contiguous();
        for (BlockedLayer layer : layers) {
            Tensor before = values;
            values = layer.forward(before, saved);
            if (values != before && !saved.contains(before)) {
                before.close();
            }
        }
        return new Result(leave.of(values).view(output.toArray()), saved);
    }

    /** @param above may be overwritten */
    public Tensor backward(Tensor above, Deque<Tensor> saved, Shape input, boolean wanted, GradientSink sink) {
        Tensor gradient = enterAgain.of(above.contiguous());
        for (int i = layers.size() - 1; i >= 0; i--) {
            Tensor behind = gradient;
            gradient = layers.get(i).backward(behind, saved, wanted || i > 0, sink);
            if (gradient != behind) {
                behind.close();
            }
        }
        return wanted ? gradient.view(input.toArray()) : null;
    }

    /** Closing twice does nothing. */
    @Override
    public void close() {
        objects.close();
    }
}
