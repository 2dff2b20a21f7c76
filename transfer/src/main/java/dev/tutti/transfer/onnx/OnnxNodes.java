package dev.tutti.transfer.onnx;

import ai.onnx.proto.OnnxMl;
import com.google.protobuf.ByteString;
import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Collects the nodes and tensors of an ONNX graph. */
final class OnnxNodes {
    private final OnnxMl.GraphProto.Builder graph;
    private final Map<String, OnnxValue> constants = new HashMap<>();
    private int counter;

    OnnxNodes(OnnxMl.GraphProto.Builder graph) {
        this.graph = graph;
    }

    /** Adds a node with one output. */
    OnnxValue add(String operator, long[] dims, List<OnnxValue> inputs, OnnxMl.AttributeProto... attributes) {
        String output = operator.toLowerCase(java.util.Locale.ROOT) + "_" + counter++;
        graph.addNode(OnnxMl.NodeProto.newBuilder()
                .setOpType(operator)
                .setName(output)
                .addAllInput(inputs.stream().map(OnnxValue::name).toList())
                .addOutput(output)
                .addAllAttribute(Arrays.asList(attributes)));
        return new OnnxValue(output, dims);
    }

    /** Adds a node with several outputs, whose names are given. */
    void add(String operator, List<OnnxValue> inputs, List<String> outputs, OnnxMl.AttributeProto... attributes) {
        graph.addNode(OnnxMl.NodeProto.newBuilder()
                .setOpType(operator)
                .setName(outputs.get(0))
                .addAllInput(inputs.stream().map(OnnxValue::name).toList())
                .addAllOutput(outputs)
                .addAllAttribute(Arrays.asList(attributes)));
    }

    /** A name that no other tensor has. */
    String fresh(String kind) {
        return kind + "_" + counter++;
    }

    /** The same for an operator that keeps the shape of its first input. */
    OnnxValue same(String operator, OnnxValue input, OnnxMl.AttributeProto... attributes) {
        return add(operator, input.dims(), List.of(input), attributes);
    }

    /** A tensor that is stored in the graph. */
    OnnxValue stored(String name, NdArray array) {
        graph.addInitializer(tensor(name, array));
        return new OnnxValue(name, array.shape().toArray());
    }

    /** Whole numbers, such as axes and shapes. */
    OnnxValue longs(long... values) {
        return constants.computeIfAbsent(
                "longs" + Arrays.toString(values),
                key -> stored("constant_" + constants.size(), NdArray.of(values, values.length)));
    }

    /** A single number. */
    OnnxValue number(double value) {
        return constants.computeIfAbsent("number " + value, key -> {
            String name = "constant_" + constants.size();
            graph.addInitializer(tensor(name, NdArray.of(new float[] {(float) value}, 1)).toBuilder()
                    .clearDims());
            return new OnnxValue(name, new long[0]);
        });
    }

    /** A single whole number. */
    OnnxValue whole(long value) {
        return constants.computeIfAbsent("whole " + value, key -> {
            String name = "constant_" + constants.size();
            graph.addInitializer(tensor(name, NdArray.of(new long[] {value}, 1)).toBuilder()
                    .clearDims());
            return new OnnxValue(name, new long[0]);
        });
    }

    static OnnxMl.TensorProto tensor(String name, NdArray array) {
        OnnxMl.TensorProto.Builder tensor = OnnxMl.TensorProto.newBuilder().setName(name);
        for (long dim : array.shape().toArray()) {
            tensor.addDims(dim);
        }
        boolean floats = array.type().isFloating();
        int bytes = floats ? Float.BYTES : Long.BYTES;
        ByteBuffer raw = ByteBuffer.allocate(array.size() * bytes).order(ByteOrder.LITTLE_ENDIAN);
        if (floats) {
            raw.asFloatBuffer().put(array.to(DType.FLOAT32).floats());
        } else {
            raw.asLongBuffer().put(array.to(DType.INT64).longs());
        }
        return tensor.setDataType(
                        floats
                                ? OnnxMl.TensorProto.DataType.FLOAT.getNumber()
                                : OnnxMl.TensorProto.DataType.INT64.getNumber())
                .setRawData(ByteString.copyFrom(raw.array()))
                .build();
    }

    static OnnxMl.AttributeProto attribute(String name, long value) {
        return OnnxMl.AttributeProto.newBuilder()
                .setName(name)
                .setType(OnnxMl.AttributeProto.AttributeType.INT)
                .setI(value)
                .build();
    }

    static OnnxMl.AttributeProto attribute(String name, double value) {
        return OnnxMl.AttributeProto.newBuilder()
                .setName(name)
                .setType(OnnxMl.AttributeProto.AttributeType.FLOAT)
                .setF((float) value)
                .build();
    }

    static OnnxMl.AttributeProto attribute(String name, String value) {
        return OnnxMl.AttributeProto.newBuilder()
                .setName(name)
                .setType(OnnxMl.AttributeProto.AttributeType.STRING)
                .setS(ByteString.copyFromUtf8(value))
                .build();
    }

    static OnnxMl.AttributeProto attribute(String name, long[] values) {
        OnnxMl.AttributeProto.Builder builder =
                OnnxMl.AttributeProto.newBuilder().setName(name).setType(OnnxMl.AttributeProto.AttributeType.INTS);
        for (long value : values) {
            builder.addInts(value);
        }
        return builder.build();
    }
}
