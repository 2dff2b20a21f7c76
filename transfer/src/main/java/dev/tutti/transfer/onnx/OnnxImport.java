package dev.tutti.transfer.onnx;

import ai.onnx.proto.OnnxMl;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.tutti.FileKind;
import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.io.CorruptFileException;
import dev.tutti.io.FileException;
import dev.tutti.nn.Graph;
import dev.tutti.nn.Input;
import dev.tutti.nn.Layer;
import dev.tutti.nn.Model;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reads an ONNX graph as a model that can be trained, served and exported like any other. The common operators of classifiers, networks
 * of convolutions and small graphs are understood; others are refused by name.
 */
public final class OnnxImport {
    private static final long MOST_BYTES = Integer.MAX_VALUE;

    private final OnnxMl.GraphProto graph;
    private final Map<String, NdArray> constants = new HashMap<>();
    private final Map<String, String> places = new HashMap<>(); // the node of our graph that each tensor comes from
    private final Map<String, NdArray> weights = new LinkedHashMap<>();
    private final List<Integer> fused = new ArrayList<>();
    private Graph built;
    private int count;

    private OnnxImport(OnnxMl.GraphProto graph) {
        this.graph = graph;
    }

    /**
     * Reads a file; the caller closes the model.
     *
     * @throws UnsupportedOnnxException if it has an operator that has no equivalent
     * @throws FileException if it cannot be read or is damaged
     */
    public static Model read(Path file) {
        try {
            if (Files.size(FileKind.require(file)) > MOST_BYTES) {
                throw new FileException(file.toString(), "is larger than 2 GB, the most that an ONNX file can be");
            }
            return new OnnxImport(OnnxMl.ModelProto.parseFrom(Files.readAllBytes(file))
                            .getGraph())
                    .model();
        } catch (InvalidProtocolBufferException e) {
            throw new CorruptFileException(file.toString(), "is no ONNX file, or it is damaged: " + e.getMessage());
        } catch (IOException e) {
            throw new FileException(file.toString(), "cannot be read: " + e.getMessage(), e);
        }
    }

    private Model model() {
        graph.getInitializerList().forEach(tensor -> constants.put(tensor.getName(), array(tensor)));
        List<Input> inputs = new ArrayList<>();
        List<String> names = new ArrayList<>();
        for (OnnxMl.ValueInfoProto input : graph.getInputList()) {
            if (!constants.containsKey(input.getName())) {
                String name = "input" + (names.size() + 1);
                places.put(input.getName(), name);
                names.add(name);
                inputs.add(input(input));
            }
        }
        built = Graph.inputs(names.toArray(String[]::new));
        for (int i = 0; i < graph.getNodeCount(); i++) {
            if (!fused.contains(i)) {
                translate(graph.getNode(i));
            }
        }
        built = built.outputs(graph.getOutputList().stream()
                .map(output -> place(output.getName()))
                .toArray(String[]::new));
        Model model = Model.of(built, Model.Options.DEFAULT, inputs);
        try {
            model.load(weights, "the ONNX graph");
            return model;
        } catch (RuntimeException e) {
            model.close();
            throw e;
        }
    }

    private void translate(OnnxMl.NodeProto node) {
        try {
            if (node.getOpType().equals("Constant")) {
                constants.put(node.getOutput(0), array(node.getAttribute(0).getT()));
            } else if (node.getOpType().equals("Transpose") && constants.containsKey(node.getInput(0))) {
                constants.put(node.getOutput(0), turned(constants.get(node.getInput(0))));
            } else if (Set.of("Identity", "Dropout", "Cast").contains(node.getOpType())) {
                alias(node);
            } else {
                new OnnxLayers(this, node).add();
            }
        } catch (IllegalArgumentException e) {
            throw new UnsupportedOnnxException("the ONNX operator " + node.getOpType() + " '" + node.getName()
                    + "' has no equivalent: " + e.getMessage());
        }
    }

    private void alias(OnnxMl.NodeProto node) {
        if (constants.containsKey(node.getInput(0))) {
            constants.put(node.getOutput(0), constants.get(node.getInput(0)));
        } else {
            places.put(node.getOutput(0), place(node.getInput(0)));
        }
    }

    /** Adds a layer and says what its parameters are. */
    void add(OnnxMl.NodeProto node, String output, Layer layer, List<String> from, Map<String, NdArray> parameters) {
        String name = layer.kind() + ++count;
        built = built.add(name, layer, from.stream().map(this::place).toArray(String[]::new));
        parameters.forEach((parameter, value) -> weights.put(name + "." + parameter, value));
        places.put(output == null ? node.getOutput(0) : output, name);
    }

    /** Makes one tensor stand for another: an operator that does nothing here. */
    void same(String output, String input) {
        places.put(output, place(input));
    }

    private String place(String tensor) {
        String place = places.get(tensor);
        if (place == null) {
            throw new IllegalArgumentException("its input '" + tensor + "' is not computed by a layer");
        }
        return place;
    }

    boolean isConstant(String tensor) {
        return constants.containsKey(tensor);
    }

    NdArray constant(String tensor) {
        NdArray array = constants.get(tensor);
        if (array == null) {
            throw new IllegalArgumentException("'" + tensor + "' has to be stored in the graph");
        }
        return array;
    }

    /** The node that alone uses a tensor and adds a stored vector to it: a bias that belongs to the product before. */
    OnnxMl.NodeProto takeBias(String product) {
        int user = -1;
        for (int i = 0; i < graph.getNodeCount(); i++) {
            if (graph.getNode(i).getInputList().contains(product)) {
                if (user >= 0) {
                    return null;
                }
                user = i;
            }
        }
        if (user < 0 || !graph.getNode(user).getOpType().equals("Add")) {
            return null;
        }
        boolean vector = graph.getNode(user).getInputList().stream()
                .anyMatch(input -> constants.containsKey(input)
                        && constants.get(input).shape().rank() == 1);
        if (vector) {
            fused.add(user);
        }
        return vector ? graph.getNode(user) : null;
    }

    static NdArray turned(NdArray matrix) {
        if (matrix.shape().rank() != 2) {
            throw new IllegalArgumentException("a stored tensor " + matrix.shape() + " that is turned");
        }
        int rows = (int) matrix.shape().dim(0);
        int columns = (int) matrix.shape().dim(1);
        float[] values = matrix.to(DType.FLOAT32).floats();
        float[] out = new float[values.length];
        for (int i = 0; i < rows; i++) {
            for (int j = 0; j < columns; j++) {
                out[j * rows + i] = values[i * columns + j];
            }
        }
        return NdArray.of(out, columns, rows);
    }

    private static Input input(OnnxMl.ValueInfoProto info) {
        List<OnnxMl.TensorShapeProto.Dimension> dims =
                info.getType().getTensorType().getShape().getDimList();
        long[] shape = dims.stream()
                .skip(1)
                .mapToLong(dim -> dim.getDimValue() > 0 ? dim.getDimValue() : Shape.ANY)
                .toArray();
        int type = info.getType().getTensorType().getElemType();
        boolean ids = type == OnnxMl.TensorProto.DataType.INT64.getNumber()
                || type == OnnxMl.TensorProto.DataType.INT32.getNumber();
        return ids ? Input.ids(shape) : Input.of(shape);
    }

    private static NdArray array(OnnxMl.TensorProto tensor) {
        long[] dims = tensor.getDimsList().stream().mapToLong(Long::longValue).toArray();
        int size = 1;
        for (long dim : dims) {
            size = Math.multiplyExact(size, Math.toIntExact(dim));
        }
        boolean raw = !tensor.getRawData().isEmpty();
        var bytes = tensor.getRawData().asReadOnlyByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
        if (tensor.getDataType() == OnnxMl.TensorProto.DataType.FLOAT.getNumber()) {
            float[] values = new float[size];
            for (int i = 0; i < size; i++) {
                values[i] = raw ? bytes.getFloat() : tensor.getFloatData(i);
            }
            return NdArray.of(values, dims);
        }
        if (tensor.getDataType() == OnnxMl.TensorProto.DataType.INT64.getNumber()) {
            long[] values = new long[size];
            for (int i = 0; i < size; i++) {
                values[i] = raw ? bytes.getLong() : tensor.getInt64Data(i);
            }
            return NdArray.of(values, dims);
        }
        throw new UnsupportedOnnxException("the tensor '" + tensor.getName() + "' has the element type "
                + tensor.getDataType() + ": expected float32 or int64");
    }
}
