package dev.tutti.transfer.onnx;

import ai.onnx.proto.OnnxMl;
import dev.tutti.array.NdArray;
import dev.tutti.io.AtomicFile;
import dev.tutti.nn.Input;
import dev.tutti.nn.Model;
import dev.tutti.nn.ScriptWriter;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes a model as ONNX, for predictions: what layers write as TorchScript is translated line by line, so a layer that can be exported
 * to Python and uses known functions can be exported here too.
 */
public final class OnnxExport {
    private static final long OPERATOR_SET = 20;
    private static final long FORMAT = 9;

    private OnnxExport() {}

    /**
     * Writes the file, whole or not at all.
     *
     * @throws UnsupportedOnnxException if a layer has no equivalent; it names the layer
     */
    public static void write(Model model, Path file) {
        byte[] bytes = translate(model).toByteArray();
        AtomicFile.write(file, bytes);
    }

    /** The model as an ONNX message. */
    public static OnnxMl.ModelProto translate(Model model) {
        ScriptWriter script = model.script();
        if (!script.modules().isEmpty()) {
            throw new UnsupportedOnnxException(
                    script.modules().values().iterator().next().path(), "a TorchScript module");
        }
        OnnxMl.GraphProto.Builder graph = OnnxMl.GraphProto.newBuilder().setName("tutti");
        OnnxNodes nodes = new OnnxNodes(graph);
        Map<String, Object> values = new HashMap<>();
        Map<String, NdArray> arrays = model.arrays();
        Map<String, String> attributes = new HashMap<>(script.parameters());
        attributes.putAll(script.buffers());
        attributes.forEach((name, attribute) -> values.put("self." + attribute, nodes.stored(name, arrays.get(name))));
        for (int i = 0; i < script.inputs().size(); i++) {
            Input input = model.inputs().get(i);
            String name = script.inputs().get(i);
            long[] dims = input.shape().prepend(-1).toArray();
            values.put(name, new OnnxValue(name, dims));
            graph.addInput(info(name, input.type().isFloating(), dims, name));
        }
        OnnxTranslation translation = new OnnxTranslation(nodes, values);
        for (ScriptWriter.ScriptLine line : script.lines()) {
            translation.translate(line);
        }
        List<String> outputs = script.outputVariables();
        for (int i = 0; i < outputs.size(); i++) {
            OnnxValue value = translation.value(outputs.get(i));
            String name = outputs.size() == 1 ? "output" : "output" + (i + 1);
            graph.addNode(OnnxMl.NodeProto.newBuilder()
                    .setOpType("Identity")
                    .setName(name)
                    .addInput(value.name())
                    .addOutput(name));
            graph.addOutput(info(name, true, model.outputs().get(i).prepend(-1).toArray(), name));
        }
        return OnnxMl.ModelProto.newBuilder()
                .setIrVersion(FORMAT)
                .setProducerName("tutti")
                .addOpsetImport(
                        OnnxMl.OperatorSetIdProto.newBuilder().setDomain("").setVersion(OPERATOR_SET))
                .setGraph(graph)
                .build();
    }

    private static OnnxMl.ValueInfoProto info(String name, boolean floats, long[] dims, String open) {
        OnnxMl.TensorShapeProto.Builder shape = OnnxMl.TensorShapeProto.newBuilder();
        for (int i = 0; i < dims.length; i++) {
            OnnxMl.TensorShapeProto.Dimension.Builder dim = OnnxMl.TensorShapeProto.Dimension.newBuilder();
            shape.addDim(
                    dims[i] >= 0 ? dim.setDimValue(dims[i]) : dim.setDimParam(i == 0 ? "batch" : open + "_axis" + i));
        }
        return OnnxMl.ValueInfoProto.newBuilder()
                .setName(name)
                .setType(OnnxMl.TypeProto.newBuilder()
                        .setTensorType(OnnxMl.TypeProto.Tensor.newBuilder()
                                .setElemType(
                                        floats
                                                ? OnnxMl.TensorProto.DataType.FLOAT.getNumber()
                                                : OnnxMl.TensorProto.DataType.INT64.getNumber())
                                .setShape(shape)))
                .build();
    }
}
