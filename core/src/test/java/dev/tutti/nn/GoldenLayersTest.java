package dev.tutti.nn;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.json.Json;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Layers against what PyTorch computed for the same weights and inputs; {@code src/test/golden/layers.py} made the file. */
class GoldenLayersTest {
    private static final double TOLERANCE = 1e-5;

    record Case(JsonNode json) {
        @Override
        public String toString() {
            return json.get("name").asText();
        }
    }

    static Stream<Case> cases() throws IOException {
        try (InputStream file = GoldenLayersTest.class.getResourceAsStream("/golden/layers.json")) {
            List<Case> cases = new ArrayList<>();
            Json.json().readTree(file).get("cases").forEach(node -> cases.add(new Case(node)));
            return cases.stream();
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void computesWhatPyTorchDoes(Case golden) {
        JsonNode json = golden.json();
        Layer layer = Json.convert(json.get("definition"), Layer.class, golden.toString());
        List<NdArray> arrays = arrays(json);
        List<Input> inputs = new ArrayList<>();
        arrays.forEach(array -> inputs.add(new Input(array.shape().from(1), array.type())));
        try (Model model = Model.of(layer, Model.Options.DEFAULT, inputs);
                Scope scope = Scope.open()) {
            model.load(named(json.get("weights")), "PyTorch");
            model.training(json.get("training").asBoolean());
            List<Tensor> batch = new ArrayList<>();
            arrays.forEach(array -> batch.add(Tensor.of(array)));
            batch.stream().filter(x -> x.type().isFloating()).forEach(x -> x.requiresGradient(true));

            Tensor output = model.forward(batch.toArray(Tensor[]::new));
            compare("output", output.toArray(), array(json.get("output")));
            named(json.get("stateAfter"))
                    .forEach((name, state) -> compare(name, model.arrays().get(name), state));

            output.mul(Tensor.of(cosines(output.shape()))).sum().backward();
            for (Parameter p : model.parameters()) {
                try (Scope inner = Scope.open()) {
                    Tensor gradient = model.vector().gradients(p.range());
                    NdArray expected = array(json.get("weightGradients").get(p.name()));
                    compare("gradient of " + p.name(), logical(gradient, p).toArray(), expected);
                }
            }
            for (int i = 0; i < batch.size(); i++) {
                if (batch.get(i).type().isFloating()) {
                    NdArray expected = array(json.get("inputGradients").get(i));
                    compare(
                            "gradient of input " + i,
                            batch.get(i).gradient().orElseThrow().toArray(),
                            expected);
                }
            }
        }
    }

    /** Channels lie innermost in the vector for weights of convolutions over images; PyTorch's order is that of the shape. */
    private static Tensor logical(Tensor range, Parameter p) {
        Shape s = p.shape();
        return switch (p.layout()) {
            case PLAIN -> range.view(s.toArray());
            case CHANNELS_LAST ->
                range.view(s.dim(0), s.dim(2), s.dim(3), s.dim(1)).permute(0, 3, 1, 2);
        };
    }

    private static void compare(String what, NdArray actual, NdArray expected) {
        assertThat(actual.shape()).as(what).isEqualTo(expected.shape());
        for (int i = 0; i < expected.size(); i++) {
            double allowed = TOLERANCE * (1 + Math.abs(expected.at(i)));
            assertThat(Math.abs(actual.at(i) - expected.at(i)))
                    .as("%s at %d: expected %s, received %s", what, i, expected.at(i), actual.at(i))
                    .isLessThan(allowed);
        }
    }

    private static NdArray cosines(Shape shape) {
        float[] values = new float[Math.toIntExact(shape.size())];
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) Math.cos(i);
        }
        return NdArray.of(values, shape.toArray());
    }

    private static List<NdArray> arrays(JsonNode json) {
        List<NdArray> arrays = new ArrayList<>();
        for (int i = 0; i < json.get("inputs").size(); i++) {
            NdArray array = array(json.get("inputs").get(i));
            arrays.add(json.get("ids").get(i).asBoolean() ? array.to(DType.INT64) : array);
        }
        return arrays;
    }

    private static Map<String, NdArray> named(JsonNode json) {
        Map<String, NdArray> arrays = new LinkedHashMap<>();
        json.properties().forEach(entry -> arrays.put(entry.getKey(), array(entry.getValue())));
        return arrays;
    }

    private static NdArray array(JsonNode json) {
        float[] values = new float[json.get("data").size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) json.get("data").get(i).asDouble();
        }
        long[] dims = new long[json.get("shape").size()];
        for (int i = 0; i < dims.length; i++) {
            dims[i] = json.get("shape").get(i).asLong();
        }
        return NdArray.of(values, dims);
    }
}
