package dev.tutti.nn;

import static dev.tutti.nn.Layers.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.TuttiException;
import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.json.Json;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What bf16 and fp16 promise of every layer: the loss and the gradients of float32, as near as 8 bits of a number allow. */
class LayerPrecisionTest {
    /** Half a unit of the last of 8 bits is 0.2%; a layer rounds inputs, weights, outputs and gradients, and some do it many times. */
    private static final double BOUND = 0.03;

    /**
     * Where rectifiers and max pools follow each other: rounding decides a few of them the other way, and gradients of such places
     * differ as a whole. The same chain with smooth activations keeps to {@link #BOUND}.
     */
    private static final double DECIDED = 0.15;

    private static final ComputePrecision BF16 = ComputePrecision.BF16.everywhere();

    static List<LayerCase> cases() {
        List<LayerCase> cases = new ArrayList<>(LayerCases.all());
        // Large enough for products and chains that are kept ready.
        cases.add(
                LayerCase.of("mlp", Sequential.of(dense(300).relu(), dense(300).gelu(), dense(4)), Input.of(260)));
        cases.add(LayerCase.of(
                "cnn",
                Sequential.of(
                        conv2d(16, 3).relu(), maxPool2d(2), conv2d(32, 3).relu(), maxPool2d(2), flatten(), dense(4)),
                Input.of(2, 20, 20)));
        cases.add(LayerCase.of(
                "smooth cnn",
                Sequential.of(
                        conv2d(16, 3), conv2d(32, 3).stride(2), conv2d(16, 3).tanh(), flatten(), dense(4)),
                Input.of(2, 20, 20)));
        cases.add(LayerCase.of(
                "transformer", Sequential.of(transformerEncoder(4), transformerEncoder(4)), Input.of(6, 128)));
        return cases;
    }

    /** One pass over a batch: the loss, the gradients of the parameters and of the first input. */
    private record Outcome(double loss, double[] outputs, double[] parameters, double[] input) {}

    @ParameterizedTest
    @MethodSource("cases")
    void staysCloseToFloat32(LayerCase layer) {
        Outcome full = outcome(layer, Model.Options.DEFAULT.seed(3));
        Outcome written =
                outcome(layer, Model.Options.DEFAULT.seed(3).precision(BF16).asWritten());
        Outcome optimised = outcome(layer, Model.Options.DEFAULT.seed(3).precision(BF16));
        Outcome fp16 = outcome(layer, Model.Options.DEFAULT.seed(3).precision(ComputePrecision.FP16));
        for (Outcome rounded : List.of(written, optimised, fp16)) {
            assertClose("outputs", rounded.outputs, full.outputs, BOUND);
            assertClose("gradients of parameters", rounded.parameters, full.parameters, BOUND);
            assertClose(
                    "gradients of the input",
                    rounded.input,
                    full.input,
                    layer.name().equals("cnn") ? DECIDED : BOUND);
        }
    }

    private static Outcome outcome(LayerCase layer, Model.Options options) {
        try (Model model = Model.of(layer.definition(), options, layer.inputs());
                Scope scope = Scope.open()) {
            model.training(true);
            model.restartRandomness(5);
            List<Tensor> inputs = new ArrayList<>();
            for (NdArray array : layer.batch(8, 5, DType.FLOAT32)) {
                inputs.add(Tensor.of(array));
            }
            RecordedPass pass = model.recordWithInputGradients(inputs);
            assertThat(pass.outputs()).allMatch(output -> output.type() == DType.FLOAT32);
            Tensor loss = null;
            List<Double> outputs = new ArrayList<>();
            for (Tensor output : pass.outputs()) {
                Tensor weighed = output.mul(output.add(0.5)).sum();
                loss = loss == null ? weighed : loss.add(weighed);
                for (float value : output.toArray().floats()) {
                    outputs.add((double) value);
                }
            }
            double value = loss.item();
            pass.backward(loss, false);
            return new Outcome(
                    value,
                    outputs.stream().mapToDouble(each -> each).toArray(),
                    doubles(model.vector().gradients()),
                    pass.inputGradient(0).map(LayerPrecisionTest::doubles).orElse(new double[0]));
        }
    }

    private static double[] doubles(Tensor tensor) {
        assertThat(tensor.type()).isEqualTo(DType.FLOAT32);
        return tensor.to(DType.FLOAT64).toArray().doubles();
    }

    /** By the length of the difference: single values near zero may be off by more. */
    private static void assertClose(String what, double[] actual, double[] expected, double bound) {
        assertThat(actual).hasSameSizeAs(expected);
        double difference = 0;
        double length = 0;
        for (int i = 0; i < actual.length; i++) {
            difference += Math.pow(actual[i] - expected[i], 2);
            length += Math.pow(expected[i], 2);
        }
        assertThat(Math.sqrt(difference)).as(what).isLessThanOrEqualTo(bound * Math.sqrt(length) + 1e-6);
    }

    @Test
    void productsAreOfTheShortType() {
        Layer definition = Sequential.of(dense(300).relu(), dense(300).relu());
        try (Model full = Model.of(definition, Model.Options.DEFAULT, List.of(Input.of(300)));
                Model bf16 = Model.of(definition, Model.Options.DEFAULT.precision(BF16), List.of(Input.of(300)))) {
            NdArray batch = LayerCase.of("dense", definition, Input.of(300))
                    .batch(4, 1, DType.FLOAT32)
                    .get(0);
            float[] rounded = bf16.predict(batch).floats();
            assertThat(rounded).isNotEqualTo(full.predict(batch).floats());
            for (float value : rounded) { // what a bf16 layer gives has no more than 8 bits
                assertThat(Float.floatToRawIntBits(value) & 0xffff).isZero();
            }
        }
    }

    @Test
    void onTheProcessorFp16IsRounded() {
        Layer definition = Sequential.of(dense(3));
        NdArray batch = NdArray.of(new float[] {1 + 1f / 4096, 70_000}, 1, 2);
        Map<String, NdArray> values = Map.of(
                "dense1.weight", NdArray.of(new float[] {1, 0, 1 + 1f / 1024, 0, 0, 1}, 3, 2),
                "dense1.bias", NdArray.of(new float[] {0, 0, 0}, 3));
        try (Model model = Model.of(
                definition,
                Model.Options.DEFAULT.precision(ComputePrecision.FP16).forInference(),
                List.of(Input.of(2)))) {
            model.load(values, "the test");
            float[] outputs = model.predict(NdArray.of(new float[] {1 + 1f / 4096, 60_000}, 1, 2))
                    .floats();
            assertThat(outputs).containsExactly(1, 1 + 1f / 1024, 60_000);
            assertThat(model.predict(batch).floats()[2])
                    .as("beyond the greatest number of the format")
                    .isInfinite();
        }
    }

    @Test
    void aModelForInferenceFollowsValuesThatAreLoaded() {
        Layer definition = Sequential.of(dense(3));
        Input input = Input.of(2);
        NdArray batch = NdArray.of(new float[] {1, 1}, 1, 2);
        Map<String, NdArray> ones = Map.of(
                "dense1.weight", NdArray.of(new float[] {1, 1, 1, 1, 1, 1}, 3, 2),
                "dense1.bias", NdArray.of(new float[] {0, 0, 0}, 3));
        try (Model model =
                Model.of(definition, Model.Options.DEFAULT.precision(BF16).forInference(), List.of(input))) {
            model.predict(batch);
            model.load(ones, "the test");
            assertThat(model.predict(batch).floats()).containsExactly(2, 2, 2);
        }
    }

    @Test
    void isReadFromFiles() {
        assertThat(read("bf16")).isEqualTo(ComputePrecision.BF16);
        assertThat(read("{type: bf16, always: true}")).isEqualTo(BF16);
        assertThat(read("float32")).isEqualTo(ComputePrecision.FLOAT32);
        assertThat(Json.read(Json.write(BF16), ComputePrecision.class, "test")).isEqualTo(BF16);
        assertThatThrownBy(() -> ComputePrecision.named("bf61"))
                .isInstanceOf(TuttiException.class)
                .hasMessageContaining("expected one of float32, bf16, fp16, received 'bf61'");
        assertThatThrownBy(() -> read("{type: bf16, alwys: true}"))
                .hasMessageContaining("expected float32, bf16, fp16 or");
    }

    private static ComputePrecision read(String yaml) {
        return Json.readYaml(yaml, ComputePrecision.class, "test");
    }
}
