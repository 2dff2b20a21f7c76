package dev.tutti.transfer.onnx;

import static dev.tutti.nn.Layers.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtSession;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.nn.Activation;
import dev.tutti.nn.Graph;
import dev.tutti.nn.Input;
import dev.tutti.nn.Layer;
import dev.tutti.nn.LowRankAdapter;
import dev.tutti.nn.Model;
import dev.tutti.nn.Sequential;
import dev.tutti.tensor.NoGradients;
import java.nio.FloatBuffer;
import java.nio.LongBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** ONNX Runtime gives what the model gives, and reading the file back gives the model again. */
class OnnxExportTest {
    @TempDir
    private Path folder;

    record Case(String name, Layer layer, boolean isImported, Input... inputs) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Case> cases() {
        Stream<Case> layers = Stream.of(
                new Case("dense", Sequential.of(dense(4).relu(), dropout(0.5), dense(3).softmax()), true, Input.of(5)),
                new Case("dense over time", dense(4).noBias(), true, Input.of(3, 5)),
                new Case("dense with adapter", dense(4).lora(new LowRankAdapter(2, 4)), false, Input.of(5)),
                new Case(
                        "digits",
                        Sequential.of(
                                conv2d(4, 3).padding(1).relu(),
                                maxPool2d(2),
                                conv2d(6, 3).stride(2).noBias(),
                                batchNorm().relu(),
                                flatten(),
                                dense(5).relu(),
                                dense(3)),
                        true,
                        Input.of(1, 12, 12)),
                new Case(
                        "one axis",
                        Sequential.of(conv1d(4, 3).groups(2), maxPool1d(2), avgPool1d(2), globalAvgPool1d()),
                        true,
                        Input.of(2, 20)),
                new Case(
                        "residual",
                        Sequential.of(
                                residual(conv2d(4, 3).padding(1), batchNorm())
                                        .shortcut(conv2d(4, 1))
                                        .relu(),
                                avgPool2d(2).padding(1),
                                globalMaxPool2d()),
                        true,
                        Input.of(3, 8, 8)),
                new Case(
                        "transposed",
                        Sequential.of(convTranspose2d(3, 2).stride(2), layerNorm(), permute(2, 0, 1), reshape(-1, 3)),
                        false,
                        Input.of(2, 4, 6)),
                new Case(
                        "transformer",
                        Sequential.of(
                                embedding(11, 8),
                                positionalEncoding().learned().maxLength(9),
                                transformerEncoder(2).causal(),
                                transformerEncoder(2).postNorm().innerActivation(Activation.GELU_TANH),
                                sequencePool(),
                                dense(3)),
                        false,
                        Input.ids(Shape.ANY)),
                new Case(
                        "encoder with a mask",
                        Graph.inputs("ids")
                                .add("mask", paddingMask(0), "ids")
                                .add(
                                        "tokens",
                                        tokenEmbedding(11, 8).maxLength(9).types(2),
                                        "ids")
                                .add("block", transformerEncoder(2).postNorm(), "tokens", "mask")
                                .add("pooled", sequencePool(), "block", "mask")
                                .add("unit", unitNorm(), "pooled")
                                .outputs("unit"),
                        false,
                        Input.ids(Shape.ANY)),
                new Case(
                        "graph",
                        Graph.inputs("a", "b")
                                .add("left", dense(4).tanh(), "a")
                                .add("right", dense(4).sigmoid(), "b")
                                .add("both", concatenate(), "left", "right")
                                .add("sum", add(), "left", "right")
                                .add("out", dense(2), "both")
                                .outputs("out", "sum"),
                        true,
                        Input.of(3),
                        Input.of(5)),
                new Case("lstm", Sequential.of(lstm(3), dense(2)), false, Input.of(5, 4)),
                new Case(
                        "gru, two ways",
                        Sequential.of(gru(3).bidirectional().layers(2), dense(2)),
                        false,
                        Input.of(5, 4)),
                new Case("lstm, every step", lstm(3).layers(2).sequence(), false, Input.of(5, 4)),
                new Case("tied", tiedEmbedding(7, 4, dense(4)), false, Input.ids(Shape.ANY)),
                new Case("gated", Sequential.of(rmsNorm(), swiGlu(6)), false, Input.of(3, 4)),
                new Case("attention", attention(2).noBias(), false, Input.of(3, 4)),
                new Case(
                        "experts",
                        Graph.inputs("x")
                                .add("shared", experts(2, dense(3).tanh()), "x")
                                .add("own", experts(1, dense(3).relu()), "x")
                                .add("gate", expertGate(), "x", "shared", "own")
                                .add("other", dense(3), "x")
                                .add("stitched", crossStitch(), "gate", "other")
                                .outputs("gate", "stitched"),
                        false,
                        Input.of(4)),
                new Case(
                        "products",
                        Graph.inputs("a", "b")
                                .add("product", multiply(), "a", "b")
                                .add("scalar", dot(), "a", "b")
                                .outputs("product", "scalar"),
                        false,
                        Input.of(3),
                        Input.of(3)),
                new Case(
                        "transposed, one axis",
                        Sequential.of(convTranspose1d(3, 2).stride(2), globalMaxPool1d()),
                        false,
                        Input.of(2, 6)),
                new Case(
                        "pooled by mean, fixed positions",
                        Sequential.of(positionalEncoding(), sequencePool().first()),
                        false,
                        Input.of(5, 4)));
        Stream<Case> activations = Stream.of(Activation.values())
                .map(function -> new Case("activation " + function, dense(6).activation(function), false, Input.of(4)));
        return Stream.concat(layers, activations);
    }

    @ParameterizedTest
    @MethodSource("cases")
    void runtimesGiveTheSame(Case one) throws Exception {
        Path file = folder.resolve("model.onnx");
        try (Model model = Model.of(one.layer, one.inputs)) {
            NdArray[] batches = Stream.of(one.inputs).map(OnnxExportTest::batch).toArray(NdArray[]::new);
            OnnxExport.write(model, file);
            List<NdArray> expected = forward(model, batches);
            requireClose(run(file, batches), expected);
            if (one.isImported) {
                try (Model read = OnnxImport.read(file)) {
                    requireClose(forward(read, batches), expected);
                }
            }
        }
    }

    @Test
    void layersWithoutAnEquivalentAreNamed() {
        Graph graph = Graph.inputs("x", "mask")
                .add("memory", attention(1).causal().masked(), "x", "mask")
                .outputs("memory");
        try (Model model = Model.of(graph, Input.of(5, 4), Input.of(5))) {
            assertThatThrownBy(() -> OnnxExport.translate(model))
                    .isInstanceOf(UnsupportedOnnxException.class)
                    .hasMessageContaining("layer memory")
                    .hasMessageContaining("torch.full")
                    .hasMessageContaining("TorchScript");
        }
    }

    private static NdArray batch(Input input) {
        Random random = new Random(4);
        long[] dims = input.shape().prepend(2).toArray();
        int size = 1;
        for (int i = 0; i < dims.length; i++) {
            dims[i] = dims[i] < 0 ? 6 : dims[i];
            size *= (int) dims[i];
        }
        if (!input.type().isFloating()) {
            return NdArray.of(random.longs(size, 0, 7).toArray(), dims);
        }
        float[] values = new float[size];
        for (int i = 0; i < size; i++) {
            values[i] = (float) random.nextGaussian();
        }
        return NdArray.of(values, dims);
    }

    private static List<NdArray> forward(Model model, NdArray... batches) {
        model.training(false);
        try (dev.tutti.tensor.Scope scope = dev.tutti.tensor.Scope.open();
                NoGradients off = NoGradients.begin()) {
            return model
                    .forward(Stream.of(batches).map(dev.tutti.tensor.Tensor::of).toList())
                    .stream()
                    .map(dev.tutti.tensor.Tensor::toArray)
                    .toList();
        }
    }

    private static List<NdArray> run(Path file, NdArray... batches) throws Exception {
        OrtEnvironment environment = OrtEnvironment.getEnvironment();
        try (OrtSession session = environment.createSession(file.toString())) {
            Map<String, OnnxTensor> inputs = new HashMap<>();
            int next = 0;
            for (String name : session.getInputNames()) {
                NdArray batch = batches[next++];
                inputs.put(
                        name,
                        batch.type().isFloating()
                                ? OnnxTensor.createTensor(
                                        environment,
                                        FloatBuffer.wrap(batch.floats()),
                                        batch.shape().toArray())
                                : OnnxTensor.createTensor(
                                        environment,
                                        LongBuffer.wrap(batch.longs()),
                                        batch.shape().toArray()));
            }
            try (OrtSession.Result result = session.run(inputs)) {
                return Stream.iterate(0, i -> i + 1)
                        .limit(result.size())
                        .map(i -> array((OnnxTensor) result.get(i)))
                        .toList();
            }
        }
    }

    private static NdArray array(OnnxTensor tensor) {
        FloatBuffer buffer = tensor.getFloatBuffer();
        float[] values = new float[buffer.remaining()];
        buffer.get(values);
        return NdArray.of(values, tensor.getInfo().getShape());
    }

    private static void requireClose(List<NdArray> actual, List<NdArray> expected) {
        assertThat(actual).hasSameSizeAs(expected);
        for (int o = 0; o < actual.size(); o++) {
            assertThat(actual.get(o).shape()).isEqualTo(expected.get(o).shape());
            for (int i = 0; i < actual.get(o).size(); i++) {
                assertThat(actual.get(o).at(i)).isCloseTo(expected.get(o).at(i), within(1e-4));
            }
        }
    }
}
