package dev.tutti.transfer.onnx;

import static dev.tutti.transfer.onnx.OnnxNodes.attribute;

import ai.onnx.proto.OnnxMl;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** The functions and methods of torch that layers call, as nodes. */
final class OnnxFunctions {
    private final OnnxNodes nodes;
    private final OnnxShapes shapes;

    OnnxFunctions(OnnxNodes nodes) {
        this.nodes = nodes;
        this.shapes = new OnnxShapes(nodes);
    }

    /**
     * Adds the nodes of a call.
     *
     * @param arguments tensors, numbers, lists, words; arguments by name are entries at the end
     * @throws IllegalArgumentException if there is no equivalent
     */
    OnnxValue call(String function, List<Object> arguments) {
        Arguments a = new Arguments(arguments);
        return switch (function) {
            case "linear" -> linear(a.tensor(0), a.tensor(1), a.optional(2));
            case "matmul" -> matmul(a.tensor(0), a.tensor(1));
            case "conv1d", "conv2d" -> window("Conv", a, a.longs(3), a.longs(4), a.longs(5), a.whole(6), null);
            case "conv_transpose1d", "conv_transpose2d" ->
                window("ConvTranspose", a, a.longs(3), a.longs(4), a.longs(7), a.whole(6), a.longs(5));
            case "max_pool1d", "max_pool2d" -> pool("MaxPool", a, attribute("dilations", a.longs(4)));
            case "avg_pool1d", "avg_pool2d" -> pool("AveragePool", a, attribute("count_include_pad", 1L));
            case "batch_norm" ->
                nodes.add(
                        "BatchNormalization",
                        a.tensor(0).dims(),
                        List.of(a.tensor(0), a.tensor(1), a.tensor(2), a.tensor(3), a.tensor(4)),
                        attribute("epsilon", a.number(7)));
            case "layer_norm" ->
                nodes.add(
                        "LayerNormalization",
                        a.tensor(0).dims(),
                        List.of(a.tensor(0), a.tensor(2), a.tensor(3)),
                        attribute("axis", -(long) a.tensor(2).rank()),
                        attribute("epsilon", a.number(4)));
            case "embedding" ->
                nodes.add(
                        "Gather",
                        concat(a.tensor(1).dims(), a.tensor(0).dims()[1]),
                        List.of(a.tensor(0), a.tensor(1)),
                        attribute("axis", 0L));
            case "scaled_dot_product_attention" -> attention(a);
            case "dropout" -> a.tensor(0);
            case "relu", "elu", "selu", "mish", "sigmoid", "tanh", "softplus", "abs", "sqrt" ->
                nodes.same(named(function), a.tensor(0));
            case "rsqrt" -> nodes.same("Reciprocal", nodes.same("Sqrt", a.tensor(0)));
            case "hardswish" -> nodes.same("HardSwish", a.tensor(0));
            case "hardsigmoid" ->
                nodes.same("HardSigmoid", a.tensor(0), attribute("alpha", 1.0 / 6), attribute("beta", 0.5));
            case "leaky_relu" -> nodes.same("LeakyRelu", a.tensor(0), attribute("alpha", a.number(1)));
            case "gelu" -> nodes.same("Gelu", a.tensor(0), attribute("approximate", a.word("approximate", "none")));
            case "silu" -> arithmetic("*", a.tensor(0), nodes.same("Sigmoid", a.tensor(0)));
            case "softmax" -> nodes.same("Softmax", a.tensor(0), attribute("axis", a.whole(1)));
            case "log_softmax" -> nodes.same("LogSoftmax", a.tensor(0), attribute("axis", a.whole(1)));
            case "clamp" -> clamp(a);
            case "ne" -> differs(a.tensor(0), a.whole(1));
            case "zeros_like" -> nodes.add("Mul", a.tensor(0).dims(), List.of(a.tensor(0), nodes.whole(0)));
            case "amax" -> reduce("ReduceMax", a);
            case "mean" -> reduce("ReduceMean", a);
            case "sum" -> reduce("ReduceSum", a);
            default -> shapes.call(function, a);
        };
    }

    private static String named(String function) {
        return function.substring(0, 1).toUpperCase(java.util.Locale.ROOT) + function.substring(1);
    }

    private static long[] concat(long[] dims, long last) {
        long[] all = Arrays.copyOf(dims, dims.length + 1);
        all[dims.length] = last;
        return all;
    }

    private OnnxValue linear(OnnxValue x, OnnxValue weight, OnnxValue bias) {
        long[] dims = x.dims().clone();
        dims[dims.length - 1] = weight.dims()[0];
        if (x.rank() == 2) {
            List<OnnxValue> inputs = bias == null ? List.of(x, weight) : List.of(x, weight, bias);
            return nodes.add("Gemm", dims, inputs, attribute("transB", 1L));
        }
        OnnxValue turned = nodes.add(
                "Transpose",
                new long[] {weight.dims()[1], weight.dims()[0]},
                List.of(weight),
                attribute("perm", new long[] {1, 0}));
        OnnxValue product = nodes.add("MatMul", dims, List.of(x, turned));
        return bias == null ? product : nodes.add("Add", dims, List.of(product, bias));
    }

    private OnnxValue matmul(OnnxValue a, OnnxValue b) {
        long[] dims = (a.rank() >= b.rank() ? a : b).dims().clone();
        dims[dims.length - 2] = a.dims()[a.rank() - 2];
        dims[dims.length - 1] = b.dims()[b.rank() - 1];
        return nodes.add("MatMul", dims, List.of(a, b));
    }

    private OnnxValue window(
            String operator, Arguments a, long[] stride, long[] padding, long[] dilation, long groups, long[] extra) {
        OnnxValue x = a.tensor(0);
        OnnxValue weight = a.tensor(1);
        OnnxValue bias = a.optional(2);
        boolean transposed = extra != null;
        long[] dims = x.dims().clone();
        dims[1] = transposed ? weight.dims()[1] * groups : weight.dims()[0];
        for (int i = 0; i < stride.length; i++) {
            long kernel = dilation[i] * (weight.dims()[i + 2] - 1) + 1;
            long in = x.dims()[i + 2];
            dims[i + 2] = in < 0
                    ? -1
                    : transposed
                            ? (in - 1) * stride[i] - 2 * padding[i] + kernel + extra[i]
                            : (in + 2 * padding[i] - kernel) / stride[i] + 1;
        }
        List<OnnxMl.AttributeProto> attributes = new ArrayList<>(List.of(
                attribute("strides", stride),
                attribute("pads", bothEnds(padding)),
                attribute("dilations", dilation),
                attribute("group", groups)));
        if (transposed) {
            attributes.add(attribute("output_padding", extra));
        }
        return nodes.add(
                operator,
                dims,
                bias == null ? List.of(x, weight) : List.of(x, weight, bias),
                attributes.toArray(OnnxMl.AttributeProto[]::new));
    }

    private static long[] bothEnds(long[] padding) {
        long[] both = Arrays.copyOf(padding, padding.length * 2);
        System.arraycopy(padding, 0, both, padding.length, padding.length);
        return both;
    }

    private OnnxValue pool(String operator, Arguments a, OnnxMl.AttributeProto more) {
        OnnxValue x = a.tensor(0);
        long[] size = a.longs(1);
        long[] stride = a.longs(2);
        long[] padding = a.longs(3);
        long[] dims = x.dims().clone();
        for (int i = 0; i < size.length; i++) {
            long in = x.dims()[i + 2];
            dims[i + 2] = in < 0 ? -1 : (in + 2 * padding[i] - size[i]) / stride[i] + 1;
        }
        return nodes.add(
                operator,
                dims,
                List.of(x),
                attribute("kernel_shape", size),
                attribute("strides", stride),
                attribute("pads", bothEnds(padding)),
                more);
    }

    private OnnxValue attention(Arguments a) {
        OnnxValue query = a.tensor(0);
        OnnxValue key = a.tensor(1);
        OnnxValue value = a.tensor(2);
        OnnxValue bias = a.optional(3);
        long width = query.dims()[query.rank() - 1];
        if (width < 0) {
            throw new IllegalArgumentException("attention of a width that is not known beforehand");
        }
        OnnxValue scaled = nodes.add("Mul", query.dims(), List.of(query, nodes.number(1 / Math.sqrt(width))));
        OnnxValue scores = matmul(scaled, shapes.transpose(key, key.rank() - 2, key.rank() - 1));
        if (bias != null) {
            scores = nodes.add("Add", scores.dims(), List.of(scores, bias));
        }
        if (a.isTrue(5)) {
            scores = nodes.add("Add", scores.dims(), List.of(scores, shapes.causalBias(scores)));
        }
        return matmul(nodes.same("Softmax", scores, attribute("axis", -1L)), value);
    }

    private OnnxValue clamp(Arguments a) {
        OnnxValue x = a.tensor(0);
        return a.has(2)
                ? nodes.add("Clip", x.dims(), List.of(x, nodes.number(a.number(1)), nodes.number(a.number(2))))
                : nodes.add("Max", x.dims(), List.of(x, nodes.number(a.number(1))));
    }

    private OnnxValue differs(OnnxValue x, long value) {
        OnnxValue equal = nodes.add("Equal", x.dims(), List.of(x, nodes.whole(value)));
        OnnxValue differs = nodes.same("Not", equal);
        return nodes.same("Cast", differs, attribute("to", (long) OnnxMl.TensorProto.DataType.FLOAT.getNumber()));
    }

    private OnnxValue reduce(String operator, Arguments a) {
        OnnxValue x = a.tensor(0);
        long[] axes = Arrays.stream(a.longs(1)).map(x::axis).sorted().toArray();
        boolean keep = a.isTrue(2) || a.word("keepdim", "False").equals("True");
        List<Long> dims = new ArrayList<>();
        for (int i = 0; i < x.rank(); i++) {
            int axis = i;
            boolean reduced = Arrays.stream(axes).anyMatch(each -> each == axis);
            if (!reduced || keep) {
                dims.add(reduced ? 1 : x.dims()[i]);
            }
        }
        return nodes.add(
                operator,
                dims.stream().mapToLong(Long::longValue).toArray(),
                List.of(x, nodes.longs(axes)),
                attribute("keepdims", keep ? 1L : 0L));
    }

    /** Sums and products of tensors whose shapes may differ by axes of length 1. */
    OnnxValue arithmetic(String operator, OnnxValue left, OnnxValue right) {
        String name = switch (operator) {
            case "+" -> "Add";
            case "-" -> "Sub";
            case "*" -> "Mul";
            case "/" -> "Div";
            default -> throw new IllegalArgumentException("the operator " + operator);
        };
        OnnxValue longer = left.rank() >= right.rank() ? left : right;
        OnnxValue shorter = longer.equals(left) ? right : left;
        long[] dims = longer.dims().clone();
        for (int i = 1; i <= shorter.rank(); i++) {
            long other = shorter.dims()[shorter.rank() - i];
            dims[dims.length - i] = dims[dims.length - i] == 1 ? other : dims[dims.length - i];
        }
        return nodes.add(name, dims, List.of(left, right));
    }

    /** The arguments of a call by their places. */
    record Arguments(List<Object> all) {
        boolean has(int index) {
            return index < all.size() && !(all.get(index) instanceof Map.Entry);
        }

        OnnxValue tensor(int index) {
            if (has(index) && all.get(index) instanceof OnnxValue value) {
                return value;
            }
            throw new IllegalArgumentException("a call whose argument " + index + " is no tensor");
        }

        OnnxValue optional(int index) {
            return !has(index) || "None".equals(all.get(index)) ? null : tensor(index);
        }

        long whole(int index) {
            if (has(index) && all.get(index) instanceof Number number) {
                return number.longValue();
            }
            throw new IllegalArgumentException("a call whose argument " + index + " is no whole number");
        }

        double number(int index) {
            if (has(index) && all.get(index) instanceof Number number) {
                return number.doubleValue();
            }
            throw new IllegalArgumentException("a call whose argument " + index + " is no number");
        }

        boolean isTrue(int index) {
            return has(index) && "True".equals(all.get(index));
        }

        List<?> list(int index) {
            if (has(index) && all.get(index) instanceof List<?> list) {
                return list;
            }
            if (has(index) && all.get(index) instanceof Number single) { // an axis may stand for a list of one
                return List.of(single);
            }
            throw new IllegalArgumentException("a call whose argument " + index + " is no list");
        }

        long[] longs(int index) {
            return list(index).stream()
                    .mapToLong(value -> {
                        if (value instanceof Number number) {
                            return number.longValue();
                        }
                        throw new IllegalArgumentException("a list with an extent that is not known beforehand");
                    })
                    .toArray();
        }

        String word(String name, String otherwise) {
            return all.stream()
                    .filter(Map.Entry.class::isInstance)
                    .map(each -> (Map.Entry<?, ?>) each)
                    .filter(each -> each.getKey().equals(name))
                    .map(each -> String.valueOf(each.getValue()))
                    .findFirst()
                    .orElse(otherwise);
        }
    }
}
