package dev.tutti.nn;

import static dev.tutti.nn.Layers.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.TuttiException;
import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.json.Json;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Eight-bit answers of every layer are those of float32, as near as 8 bits of inputs and weights allow. */
class QuantizationTest {
    /** Half a step of 255 is 0.2% of the range, which is several times the usual value; inputs, weights and outputs are rounded. */
    private static final double BOUND = 0.06;

    static List<LayerCase> cases() {
        List<LayerCase> cases = new ArrayList<>(LayerCases.all());
        cases.add(LayerCase.of("mlp", Sequential.of(dense(64).relu(), dense(64).gelu(), dense(4)), Input.of(40)));
        cases.add(LayerCase.of(
                "cnn",
                Sequential.of(conv2d(8, 3).relu(), maxPool2d(2), conv2d(16, 3).relu(), flatten(), dense(4)),
                Input.of(2, 16, 16)));
        cases.add(LayerCase.of(
                "transformer", Sequential.of(transformerEncoder(4), transformerEncoder(4)), Input.of(6, 64)));
        return cases;
    }

    @ParameterizedTest
    @MethodSource("cases")
    void answersAreCloseToFloat32(LayerCase layer) {
        List<NdArray> batch = layer.batch(8, 5, DType.FLOAT32);
        try (Model full =
                Model.of(layer.definition(), Model.Options.DEFAULT.seed(3).forInference(), layer.inputs())) {
            List<float[]> expected = outputs(full, batch);
            Quantization found = calibrated(full, batch);
            try (Model rounded = Model.of(
                    layer.definition(),
                    Model.Options.DEFAULT.seed(3).forInference().quantization(found),
                    layer.inputs())) {
                rounded.load(full.arrays(), "the other model");
                List<float[]> actual = outputs(rounded, batch);
                for (int i = 0; i < expected.size(); i++) {
                    assertClose(actual.get(i), expected.get(i));
                }
            }
        }
    }

    private static Quantization calibrated(Model model, List<NdArray> batch) {
        try (Calibration watching = Calibration.of(model)) {
            outputs(model, batch);
            return watching.quantization();
        }
    }

    private static List<float[]> outputs(Model model, List<NdArray> batch) {
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            return model.forward(batch.stream().map(Tensor::of).toList()).stream()
                    .map(output -> output.toArray().floats())
                    .toList();
        }
    }

    private static void assertClose(float[] actual, float[] expected) {
        assertThat(actual).hasSameSizeAs(expected);
        double difference = 0;
        double length = 0;
        for (int i = 0; i < actual.length; i++) {
            difference += Math.pow(actual[i] - expected[i], 2);
            length += Math.pow(expected[i], 2);
        }
        assertThat(Math.sqrt(difference)).isLessThanOrEqualTo(BOUND * Math.sqrt(length) + 1e-6);
    }

    @Test
    void calibrationFindsTheLayersThatMultiply() {
        Layer definition = Sequential.of(conv2d(4, 3).relu(), flatten(), dense(8).relu(), batchNorm(), dense(2));
        NdArray batch = NdArray.of(new float[2 * 36], 2, 1, 6, 6);
        batch.floats()[3] = 2;
        try (Model model = Model.of(definition, Model.Options.DEFAULT.forInference(), List.of(Input.of(1, 6, 6)))) {
            Quantization found = calibrated(model, List.of(batch));
            assertThat(found.layers()).containsOnlyKeys("conv2d1", "dense1", "dense2");
            assertThat(found.layers().get("conv2d1").input().high()).isEqualTo(2);
            assertThat(found.layers().get("conv2d1").output().low())
                    .as("a rectifier follows")
                    .isZero();
            assertThat(Json.read(Json.write(found), Quantization.class, "test")).isEqualTo(found);
            assertThat(model.parameters().stream().filter(found::rounds).map(Parameter::name))
                    .containsExactly("conv2d1.weight", "dense1.weight", "dense2.weight");
        }
    }

    @Test
    void answersFollowValuesThatAreLoaded() {
        Layer definition = Sequential.of(dense(2).noBias());
        Quantization dense = new Quantization(Map.of("dense1", LayerQuantization.DYNAMIC));
        NdArray batch = NdArray.of(new float[] {1, 0}, 1, 2);
        try (Model model =
                Model.of(definition, Model.Options.DEFAULT.forInference().quantization(dense), List.of(Input.of(2)))) {
            model.predict(batch);
            model.load(Map.of("dense1.weight", NdArray.of(new float[] {3, 0, 5, 0}, 2, 2)), "the test");
            float[] answer = model.predict(batch).floats();
            assertThat(answer[0]).isBetween(2.95f, 3.05f);
            assertThat(answer[1]).isBetween(4.95f, 5.05f);
        }
    }

    @Test
    void onlyModelsForInferenceInFloat32AreQuantized() {
        Quantization dense = new Quantization(Map.of("dense1", LayerQuantization.DYNAMIC));
        assertThatThrownBy(() -> Model.Options.DEFAULT.quantization(dense))
                .isInstanceOf(TuttiException.class)
                .hasMessageContaining("for training");
        assertThatThrownBy(() ->
                        Model.Options.DEFAULT.forInference().quantization(dense).precision(ComputePrecision.BF16))
                .hasMessageContaining("precision bf16");
    }
}
