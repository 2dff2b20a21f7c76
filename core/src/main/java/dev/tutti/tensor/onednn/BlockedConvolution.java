package dev.tutti.tensor.onednn;

import static dev.tutti.tensor.onednn.OneDnnOperation.Argument.BIAS;
import static dev.tutti.tensor.onednn.OneDnnOperation.Argument.BIAS_GRADIENT;
import static dev.tutti.tensor.onednn.OneDnnOperation.Argument.RESULT;
import static dev.tutti.tensor.onednn.OneDnnOperation.Argument.RESULT_GRADIENT;
import static dev.tutti.tensor.onednn.OneDnnOperation.Argument.SOURCE;
import static dev.tutti.tensor.onednn.OneDnnOperation.Argument.SOURCE_GRADIENT;
import static dev.tutti.tensor.onednn.OneDnnOperation.Argument.WEIGHT;
import static dev.tutti.tensor.onednn.OneDnnOperation.Argument.WEIGHT_GRADIENT;

import dev.tutti.array.DType;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.onednn.OneDnnOperation.Argument;
import dev.tutti.tensor.vector.GradientSink;
import java.util.Deque;

/** A convolution whose primitives are kept; each chooses its layouts, and what comes in another one is brought into it. */
final class BlockedConvolution implements BlockedLayer {
    private static final int DIRECT = 1;

    private final OneDnnObjects objects;
    private final ConvChain.Convolution layer;
    private final BlockedWindow window;
    private final long[] weightLengths;
    private final long attributes;
    private final Output output;
    private final OneDnnOperation forward;
    private final OneDnnOperation toWeight;
    private final OneDnnOperation toInput;

    private final OneDnnRelayout inputToForward;
    private final OneDnnRelayout weightToForward;
    private final OneDnnRelayout inputToWeight;
    private final OneDnnRelayout aboveToWeight;
    private final OneDnnRelayout aboveToInput;
    private final OneDnnRelayout weightToInput;
    private final OneDnnRelayout belowToInput;
    private final OneDnnRelayout addGradient;
    private final OneDnnRelayout copyGradient;

    /** @param type what values and weights are multiplied in; sums and the gradients of parameters are float32 */
    BlockedConvolution(OneDnnObjects objects, Output input, ConvChain.Convolution layer, DType type) {
        this.objects = objects;
        this.layer = layer;
        long[] shape = layer.weight().shape().toArray();
        window = BlockedWindow.of(layer);
        weightLengths = inGroups(shape);
        attributes = objects.attributes(false);
        long[] lengths = window.slide(input.lengths(), shape[0]);
        long anyInput = objects.anyLayout(type, input.lengths());
        long anyOutput = objects.anyLayout(type, lengths);
        long anyWeight = objects.anyLayout(type, weightLengths);
        long anyGradient = objects.anyLayout(DType.FLOAT32, weightLengths);
        long bias = layer.bias() == null ? 0 : objects.layout(DType.FLOAT32, new long[] {shape[0]}, new long[] {1});

        long there = forward(anyInput, anyWeight, bias, anyOutput);
        forward = operation(there, BIAS, SOURCE, WEIGHT, RESULT);
        output = new Output(lengths, forward.layout(RESULT), type);
        toWeight = operation(
                toWeight(anyInput, anyGradient, bias, anyOutput, there),
                BIAS_GRADIENT,
                SOURCE,
                WEIGHT_GRADIENT,
                RESULT_GRADIENT);
        toInput = new OneDnnOperation(
                objects, toInput(anyInput, anyWeight, anyOutput, there), SOURCE_GRADIENT, WEIGHT, RESULT_GRADIENT);

        long weight = weightLayout();
        inputToForward = new OneDnnRelayout(objects, input.layout(), forward.layout(SOURCE), type);
        weightToForward = new OneDnnRelayout(objects, weight, forward.layout(WEIGHT), type);
        inputToWeight = new OneDnnRelayout(objects, forward.layout(SOURCE), toWeight.layout(SOURCE), type);
        aboveToWeight = new OneDnnRelayout(objects, output.layout(), toWeight.layout(RESULT_GRADIENT), type);
        aboveToInput = new OneDnnRelayout(objects, output.layout(), toInput.layout(RESULT_GRADIENT), type);
        weightToInput = new OneDnnRelayout(objects, weight, toInput.layout(WEIGHT), type);
        belowToInput = new OneDnnRelayout(objects, toInput.layout(SOURCE_GRADIENT), input.layout(), input.type());
        addGradient = OneDnnRelayout.adding(objects, toWeight.layout(WEIGHT_GRADIENT), weight);
        copyGradient = OneDnnRelayout.copying(objects, toWeight.layout(WEIGHT_GRADIENT), weight);
    }

    private OneDnnOperation operation(long description, Argument ofBias, Argument... others) {
        if (layer.bias() == null) {
            return new OneDnnOperation(objects, description, others);
        }
        Argument[] all = new Argument[others.length + 1];
        System.arraycopy(others, 0, all, 0, others.length);
        all[others.length] = ofBias;
        return new OneDnnOperation(objects, description, all);
    }

    private long forward(long input, long weight, long bias, long result) {
        return objects.description(
                "convolution",
                out -> OneDnn.Functions.dnnl_convolution_forward_primitive_desc_create(
                        out,
                        OneDnn.engine(),
                        OneDnn.FOR_TRAINING,
                        DIRECT,
                        input,
                        weight,
                        bias,
                        result,
                        window.stride(),
                        window.gaps(),
                        window.padding(),
                        window.padding(),
                        attributes));
    }

    private long toWeight(long input, long weight, long bias, long result, long there) {
        return objects.description(
                "convolution",
                out -> OneDnn.Functions.dnnl_convolution_backward_weights_primitive_desc_create(
                        out,
                        OneDnn.engine(),
                        DIRECT,
                        input,
                        weight,
                        bias,
                        result,
                        window.stride(),
                        window.gaps(),
                        window.padding(),
                        window.padding(),
                        there,
                        attributes));
    }

    private long toInput(long input, long weight, long result, long there) {
        return objects.description(
                "convolution",
                out -> OneDnn.Functions.dnnl_convolution_backward_data_primitive_desc_create(
                        out,
                        OneDnn.engine(),
                        DIRECT,
                        input,
                        weight,
                        result,
                        window.stride(),
                        window.gaps(),
                        window.padding(),
                        window.padding(),
                        there,
                        attributes));
    }

    /** Filters and channels by group, where there are several. */
    private long[] inGroups(long[] shape) {
        return layer.groups() == 1
                ? shape
                : new long[] {layer.groups(), shape[0] / layer.groups(), shape[1], shape[2], shape[3]};
    }

    /** How the parameter and its gradient lie in their vectors. */
    private long weightLayout() {
        long[] strides = layer.weight().strides();
        long[] inGroups = layer.groups() == 1
                ? strides
                : new long[] {strides[0] * weightLengths[1], strides[0], strides[1], strides[2], strides[3]};
        return objects.layout(DType.FLOAT32, weightLengths, inGroups);
    }

    @Override
    public Output output() {
        return output;
    }

    @Override
    public Tensor forward(Tensor given, Deque<Tensor> saved) {
        Tensor x = inputToForward.of(given);
        Tensor result = forward.memory(RESULT, output.type());
        forward.place(SOURCE, x)
                .place(WEIGHT, weightToForward.of(layer.weight()))
                .place(RESULT, result);
        if (layer.bias() != null) {
            forward.place(BIAS, layer.bias());
        }
        forward.run("convolution");
        saved.push(x);
        return result;
    }

    @Override
    public Tensor backward(Tensor above, Deque<Tensor> saved, boolean wanted, GradientSink sink) {
        writeGradients(above, saved.pop(), sink);
        Tensor below = wanted ? toInput(above) : null;
        sink.written(layer.weight());
        if (layer.bias() != null) {
            sink.written(layer.bias());
        }
        return below;
    }

    private void writeGradients(Tensor above, Tensor x, GradientSink sink) {
        Tensor computed = toWeight.memory(WEIGHT_GRADIENT, DType.FLOAT32);
        toWeight.place(SOURCE, inputToWeight.of(x))
                .place(RESULT_GRADIENT, aboveToWeight.of(above))
                .place(WEIGHT_GRADIENT, computed);
        Tensor bias = layer.bias() == null ? null : toWeight.memory(BIAS_GRADIENT, DType.FLOAT32);
        if (bias != null) {
            toWeight.place(BIAS_GRADIENT, bias);
        }
        toWeight.run("convolution");
        (sink.adds(layer.weight()) ? addGradient : copyGradient).run(computed, sink.gradient(layer.weight()));
        if (bias != null) {
            sink.gradient(layer.bias()).add_(bias); // zero before, where nothing is to be added to
        }
    }

    private Tensor toInput(Tensor above) {
        Tensor below = toInput.memory(SOURCE_GRADIENT, output.type());
        toInput.place(RESULT_GRADIENT, aboveToInput.of(above))
                .place(WEIGHT, weightToInput.of(layer.weight()))
                .place(SOURCE_GRADIENT, below)
                .run("convolution");
        return belowToInput.of(below);
    }
}
