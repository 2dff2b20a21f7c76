package dev.tutti.transfer.onnx;

import static dev.tutti.nn.Layers.activation;
import static dev.tutti.nn.Layers.avgPool1d;
import static dev.tutti.nn.Layers.avgPool2d;
import static dev.tutti.nn.Layers.batchNorm;
import static dev.tutti.nn.Layers.concatenate;
import static dev.tutti.nn.Layers.conv1d;
import static dev.tutti.nn.Layers.conv2d;
import static dev.tutti.nn.Layers.embedding;
import static dev.tutti.nn.Layers.flatten;
import static dev.tutti.nn.Layers.globalAvgPool1d;
import static dev.tutti.nn.Layers.globalAvgPool2d;
import static dev.tutti.nn.Layers.globalMaxPool1d;
import static dev.tutti.nn.Layers.globalMaxPool2d;
import static dev.tutti.nn.Layers.layerNorm;
import static dev.tutti.nn.Layers.maxPool1d;
import static dev.tutti.nn.Layers.maxPool2d;
import static dev.tutti.nn.Layers.multiply;
import static dev.tutti.nn.Layers.permute;
import static dev.tutti.nn.Layers.reshape;

import ai.onnx.proto.OnnxMl;
import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.nn.Activation;
import dev.tutti.nn.Layer;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The layer that an ONNX operator is. */
final class OnnxLayers {
    private final OnnxImport target;
    private final OnnxMl.NodeProto node;
    private final OnnxAttributes attributes;

    OnnxLayers(OnnxImport target, OnnxMl.NodeProto node) {
        this.target = target;
        this.node = node;
        this.attributes = new OnnxAttributes(node);
    }

    /** @throws IllegalArgumentException if there is no equivalent; it says why */
    void add() {
        switch (node.getOpType()) {
            case "Gemm" -> gemm();
            case "MatMul" -> matmul();
            case "Conv" -> conv();
            case "MaxPool", "AveragePool" -> pool();
            case "GlobalAveragePool" -> simple(globalAvgPool2d());
            case "ReduceMean" -> simple(isTwoAxes() ? globalAvgPool2d() : globalAvgPool1d());
            case "ReduceMax" -> simple(isTwoAxes() ? globalMaxPool2d() : globalMaxPool1d());
            case "BatchNormalization" -> batchNormalization();
            case "LayerNormalization" ->
                withParameters(layerNorm().epsilon(attributes.number("epsilon", 1e-5)), List.of("weight", "bias"), 1);
            case "Gather" -> gather();
            case "Flatten" -> simple(flatten());
            case "Reshape" -> reshapeTo();
            case "Transpose" -> transpose();
            case "Concat" -> merge(concatenate(Math.toIntExact(attributes.whole("axis", 1)) - 1));
            case "Add" -> merge(dev.tutti.nn.Layers.add());
            case "Mul" -> merge(multiply());
            default -> simple(activation(function()));
        }
    }

    private Activation function() {
        return switch (node.getOpType()) {
            case "Relu" -> Activation.RELU;
            case "Sigmoid" -> Activation.SIGMOID;
            case "Tanh" -> Activation.TANH;
            case "Softmax" -> Activation.SOFTMAX;
            case "LogSoftmax" -> Activation.LOG_SOFTMAX;
            case "Elu" -> Activation.ELU;
            case "Selu" -> Activation.SELU;
            case "Softplus" -> Activation.SOFTPLUS;
            case "Softsign" -> Activation.SOFTSIGN;
            case "Mish" -> Activation.MISH;
            case "HardSwish" -> Activation.HARD_SWISH;
            case "LeakyRelu" -> leaky();
            case "Gelu" ->
                attributes.word("approximate", "none").equals("tanh") ? Activation.GELU_TANH : Activation.GELU;
            case "Clip" -> clip();
            default -> throw new IllegalArgumentException("it is not among those that are read");
        };
    }

    private Activation leaky() {
        if (Math.abs(attributes.number("alpha", 0.01) - 0.01) > 1e-6) {
            throw new IllegalArgumentException("its slope is " + attributes.number("alpha", 0.01) + ": expected 0.01");
        }
        return Activation.LEAKY_RELU;
    }

    private Activation clip() {
        double low = target.constant(node.getInput(1)).at(0);
        double high = target.constant(node.getInput(2)).at(0);
        if (low == 0 && high == 6) {
            return Activation.RELU6;
        }
        if (low == -1 && high == 1) {
            return Activation.HARD_TANH;
        }
        throw new IllegalArgumentException(
                "its bounds are " + low + " and " + high + ": expected 0 and 6, or -1 and 1");
    }

    private void simple(Layer layer) {
        target.add(node, null, layer, List.of(node.getInput(0)), Map.of());
    }

    private void merge(Layer layer) {
        if (node.getInputList().stream().anyMatch(target::isConstant)) {
            throw new IllegalArgumentException("one of its inputs is stored in the graph");
        }
        target.add(node, null, layer, node.getInputList(), Map.of());
    }

    private void gemm() {
        NdArray weight = target.constant(node.getInput(1));
        if (attributes.whole("transA", 0) != 0
                || attributes.number("alpha", 1) != 1
                || attributes.number("beta", 1) != 1) {
            throw new IllegalArgumentException("transA, alpha and beta are expected to be 0, 1 and 1");
        }
        NdArray rows = attributes.whole("transB", 0) == 1 ? weight : OnnxImport.turned(weight);
        dense(rows, node.getInputCount() > 2 ? target.constant(node.getInput(2)) : null, node.getOutput(0));
    }

    private void matmul() {
        NdArray weight = OnnxImport.turned(target.constant(node.getInput(1)));
        OnnxMl.NodeProto bias = target.takeBias(node.getOutput(0));
        if (bias == null) {
            dense(weight, null, node.getOutput(0));
        } else {
            String stored = target.isConstant(bias.getInput(0)) ? bias.getInput(0) : bias.getInput(1);
            dense(weight, target.constant(stored), bias.getOutput(0));
        }
    }

    private void dense(NdArray weight, NdArray bias, String output) {
        int units = (int) weight.shape().dim(0);
        Map<String, NdArray> parameters = new LinkedHashMap<>(Map.of("weight", weight));
        if (bias != null) {
            parameters.put("bias", bias.reshape(units));
        }
        target.add(
                node,
                output,
                bias == null ? dev.tutti.nn.Layers.dense(units).noBias() : dev.tutti.nn.Layers.dense(units),
                List.of(node.getInput(0)),
                parameters);
    }

    private void conv() {
        NdArray weight = target.constant(node.getInput(1));
        int axes = weight.shape().rank() - 2;
        int filters = (int) weight.shape().dim(0);
        boolean bias = node.getInputCount() > 2;
        int groups = Math.toIntExact(attributes.whole("group", 1));
        int[] stride = attributes.perAxis("strides", axes, 1);
        int[] dilation = attributes.perAxis("dilations", axes, 1);
        int[] padding = attributes.padding(axes);
        Layer layer;
        if (axes == 1) {
            var conv = conv1d(filters, (int) weight.shape().dim(2))
                    .stride(stride)
                    .padding(padding)
                    .dilation(dilation)
                    .groups(groups);
            layer = bias ? conv : conv.noBias();
        } else if (axes == 2) {
            var conv = conv2d(filters, (int) weight.shape().dim(2), (int)
                            weight.shape().dim(3))
                    .stride(stride)
                    .padding(padding)
                    .dilation(dilation)
                    .groups(groups);
            layer = bias ? conv : conv.noBias();
        } else {
            throw new IllegalArgumentException("it slides over " + axes + " axes: expected 1 or 2");
        }
        Map<String, NdArray> parameters = new LinkedHashMap<>(Map.of("weight", weight));
        if (bias) {
            parameters.put("bias", target.constant(node.getInput(2)));
        }
        target.add(node, null, layer, List.of(node.getInput(0)), parameters);
    }

    private void pool() {
        long[] size = attributes.longs("kernel_shape");
        int axes = size.length;
        int[] window = Arrays.stream(size).mapToInt(Math::toIntExact).toArray();
        int[] stride = attributes.perAxis("strides", axes, 1);
        int[] padding = attributes.padding(axes);
        boolean max = node.getOpType().equals("MaxPool");
        boolean padded = Arrays.stream(padding).anyMatch(each -> each > 0);
        if (attributes.whole("ceil_mode", 0) != 0
                || !max && padded && attributes.whole("count_include_pad", 0) == 0
                || Arrays.stream(attributes.perAxis("dilations", axes, 1)).anyMatch(each -> each != 1)) {
            throw new IllegalArgumentException("ceil_mode, dilations and padding that does not count are not read");
        }
        simple(
                axes == 1
                        ? max
                                ? maxPool1d(window[0]).stride(stride).padding(padding)
                                : avgPool1d(window[0]).stride(stride).padding(padding)
                        : max
                                ? maxPool2d(window).stride(stride).padding(padding)
                                : avgPool2d(window).stride(stride).padding(padding));
    }

    private boolean isTwoAxes() {
        long[] axes = node.getInputCount() > 1
                ? target.constant(node.getInput(1)).to(DType.INT64).longs()
                : attributes.longs("axes");
        if (attributes.whole("keepdims", 1) != 0
                || !Arrays.equals(axes, new long[] {2, 3}) && !Arrays.equals(axes, new long[] {2})) {
            throw new IllegalArgumentException(
                    "it reduces the axes " + Arrays.toString(axes) + ": expected those behind the channels, which go");
        }
        return axes.length == 2;
    }

    private void batchNormalization() {
        withParameters(
                batchNorm().epsilon(attributes.number("epsilon", 1e-5)),
                List.of("weight", "bias", "running_mean", "running_var"),
                1);
    }

    private void withParameters(Layer layer, List<String> names, int first) {
        Map<String, NdArray> parameters = new LinkedHashMap<>();
        for (int i = 0; i < names.size(); i++) {
            parameters.put(names.get(i), target.constant(node.getInput(first + i)));
        }
        target.add(node, null, layer, List.of(node.getInput(0)), parameters);
    }

    private void gather() {
        NdArray table = target.constant(node.getInput(0));
        if (table.shape().rank() != 2 || attributes.whole("axis", 0) != 0) {
            throw new IllegalArgumentException("expected rows of a stored table " + table.shape());
        }
        target.add(
                node,
                null,
                embedding((int) table.shape().dim(0), (int) table.shape().dim(1)),
                List.of(node.getInput(1)),
                Map.of("weight", table));
    }

    private void reshapeTo() {
        long[] shape = target.constant(node.getInput(1)).to(DType.INT64).longs();
        if (shape.length == 2 && shape[1] == -1) {
            simple(flatten());
            return;
        }
        if (Arrays.stream(shape).skip(1).anyMatch(extent -> extent == 0)) {
            throw new IllegalArgumentException("it keeps extents that are not the batch's: " + Arrays.toString(shape));
        }
        simple(reshape(Arrays.stream(shape).skip(1).mapToInt(Math::toIntExact).toArray()));
    }

    private void transpose() {
        long[] axes = attributes.longs("perm");
        if (axes.length == 0 || axes[0] != 0) {
            throw new IllegalArgumentException("it moves the axis of the batch");
        }
        simple(permute(
                Arrays.stream(axes).skip(1).mapToInt(axis -> (int) axis - 1).toArray()));
    }
}
