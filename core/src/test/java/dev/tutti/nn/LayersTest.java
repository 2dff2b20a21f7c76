package dev.tutti.nn;

import static dev.tutti.array.Shape.ANY;
import static dev.tutti.nn.Layers.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.json.Json;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What single layers do beyond the contract that all share. */
class LayersTest {
    /** The example of a layer of the user's own. */
    static final class Scale extends Layer {
        private double start = 1;

        private Scale() {}

        Scale(double start) {
            this.start = start;
        }

        @Override
        protected Shape build(Shape input, BuildContext build) {
            build.parameter("factor", Shape.of(input.dim(-1)), Initializer.ONES);
            return input;
        }

        @Override
        protected Tensor forward(Tensor x, ForwardContext pass) {
            return x.mul(pass.parameter("factor")).mul(start);
        }
    }

    @Test
    void everyBuiltInLayerIsHeldToTheContract() {
        Map<Class<?>, String> listed = new HashMap<>(new LayerDefinitions().named());
        listed.remove(TorchScript.class); // needs a file; it has tests of its own
        Set<String> tested = new HashSet<>(); // also those within graphs
        LayerCases.all().forEach(layer -> collectTexts(Json.tree(layer.definition()), tested));
        assertThat(tested).containsAll(listed.values());
    }

    private static void collectTexts(JsonNode tree, Set<String> texts) {
        if (tree.isTextual()) {
            texts.add(tree.asText());
        }
        tree.forEach(child -> collectTexts(child, texts));
    }

    @Test
    void aLayerOfTheUsersOwnIsBuiltTrainedAndWritten() {
        Json.register(Scale.class, "scale");
        Layer layer = Sequential.of(new Scale(2), dense(1));
        Layer again = Json.readYaml(Json.writeYaml(layer), Layer.class, "yaml");
        try (Model model = Model.of(again, Input.of(2));
                Scope scope = Scope.open()) {
            assertThat(model.parameters())
                    .extracting(Parameter::name)
                    .containsExactly("scale1.factor", "dense1.weight", "dense1.bias");
            model.forward(Tensor.of(new float[] {1, 2}, 1, 2)).sum().backward();
            assertThat(model.vector()
                            .gradients(model.parameters().get(0).range())
                            .norm()
                            .item())
                    .isPositive();
            assertThatThrownBy(model::script)
                    .isInstanceOf(UnsupportedLayerException.class)
                    .hasMessageContaining("layer scale1 (scale) cannot be exported to TorchScript");
        }
    }

    @Test
    void yamlTakesShortForms() {
        Layer layer = Json.readYaml("""
                type: sequential
                layers:
                  - {type: conv2d, filters: 4, kernel: 3, same: true, activation: relu}
                  - {type: conv2d, filters: 2, kernel: [3, 1], stride: [2, 1], init: he, name: tall}
                  - maxPool2d
                  - {type: residual, layers: [{type: conv2d, filters: 2, same: true}, batchNorm]}
                  - flatten
                  - {type: activation, activation: gelu}
                  - {type: dense, units: 3}
                """, Layer.class, "model.yaml");
        try (Model model = Model.of(layer, Input.of(1, 9, 8))) {
            assertThat(model.outputs()).containsExactly(Shape.of(3));
            assertThat(model.parameters())
                    .extracting(Parameter::name)
                    .contains("tall.weight", "residual1.conv2d1.weight", "residual1.batchNorm1.bias");
        }
        assertThat(Json.writeYaml(conv2d(4, 3).stride(2, 1))).isEqualToIgnoringWhitespace("""
                type: conv2d
                filters: 4
                stride:
                  - 2
                  - 1
                """);
        assertThat(Json.writeYaml(maxPool2d(3).stride(1)))
                .isEqualToIgnoringWhitespace("type: maxPool2d size: 3 stride: 1");
    }

    @Test
    void settingsReturnCopies() {
        Conv2d plain = conv2d(4, 3);
        plain.stride(2).same().relu();
        assertThat(Json.write(plain)).isEqualTo(Json.write(conv2d(4, 3)));
    }

    @Test
    void theSummaryShowsLayersShapesAndCounts() {
        Layer layer = Sequential.of(
                embedding(10, 4),
                residual(layerNorm(), dense(4)).named("past"),
                transformerEncoder(2),
                Graph.inputs("x")
                        .add("left", lstm(3), "x")
                        .add("right", gru(3).relu(), "x")
                        .add("both", concatenate(), "left", "right")
                        .outputs("both"),
                dense(2).softmax());
        try (Model model = Model.of(layer, Input.ids(ANY))) {
            assertThat(model.summary()).isEqualTo("""
                    layer                 output  parameters
                    ────────────────────────────────────────
                    embedding1            [?, 4]          40
                    past (residual)       [?, 4]
                      layerNorm1          [?, 4]           8
                      dense1              [?, 4]          20
                    transformerEncoder1   [?, 4]         244
                    graph1                [6]
                      left (lstm)         [3]            108
                      right (gru) relu    [3]             81
                      both (concatenate)  [6]              0
                    dense1 softmax        [2]             14
                    ────────────────────────────────────────
                    515 parameters, 0.0 MB
                    """);
        }
    }

    @Test
    void numbersGoRoundNamesThatAreTaken() {
        try (Model model = Model.of(Sequential.of(dense(2), dense(2).named("dense1"), dense(2)), Input.of(2))) {
            assertThat(model.parameters())
                    .extracting(Parameter::name)
                    .containsExactly(
                            "dense2.weight",
                            "dense2.bias",
                            "dense1.weight",
                            "dense1.bias",
                            "dense3.weight",
                            "dense3.bias");
        }
    }

    @Test
    void thePaddingVectorIsZeroAndStaysSo() {
        try (Model model = Model.of(embedding(4, 2).paddingId(1), Input.ids(3));
                Scope scope = Scope.open()) {
            Tensor out = model.forward(Tensor.of(new long[] {0, 1, 1}, 1, 3));
            assertThat(Arrays.copyOfRange(out.toArray().floats(), 2, 6)).containsOnly(0);
            out.sum().backward();
            assertThat(model.vector().gradients().toArray().floats()).containsExactly(1, 1, 0, 0, 0, 0, 0, 0);
        }
    }

    @Test
    void batchNormKeepsRunningStatistics() {
        try (Model model = Model.of(batchNorm().momentum(0.5), Input.of(1));
                Scope scope = Scope.open()) {
            Tensor batch = Tensor.of(new float[] {1, 3}, 2, 1);
            model.training(true);
            assertThat(model.forward(batch).toArray().floats()).containsExactly(new float[] {-1, 1}, within(1e-4f));
            assertThat(model.arrays().get("running_mean").floats()).containsExactly(1);
            assertThat(model.arrays().get("running_var").floats()).containsExactly(1.5f);
            model.training(false);
            model.forward(batch);
            assertThat(model.arrays().get("running_mean").floats()).containsExactly(1);
        }
    }

    @Test
    void dropoutForgetsOnlyWhileTrainingAndRepeats() {
        try (Model model = Model.of(dropout(0.25), Input.of(10_000));
                Scope scope = Scope.open()) {
            Tensor ones = Tensor.full(Shape.of(1, 10_000), 1, DType.FLOAT32);
            assertThat(model.forward(ones).mean().item()).isEqualTo(1);
            model.training(true);
            model.restartRandomness(1, 2);
            NdArray first = model.forward(ones).toArray();
            NdArray second = model.forward(ones).toArray();
            model.restartRandomness(1, 2);
            assertThat(model.forward(ones).toArray()).isEqualTo(first).isNotEqualTo(second);
            assertThat(Tensor.of(first).mean().item()).isCloseTo(1, within(0.05));
            assertThat(first.floats()).containsOnly(0f, 4 / 3f);
        }
    }

    @Test
    void layersDrawByTheirNames() {
        Layer pair =
                Sequential.of(dropout(0.5).named("Aa"), dropout(0.5).named("BB")); // their names have one hash code
        Layer longer = Sequential.of(dropout(0.5).named("first"), dropout(0.5).named("BB"));
        try (Model two = Model.of(pair, Input.of(64));
                Model other = Model.of(longer, Input.of(64));
                Model last = Model.of(Sequential.of(dropout(0.5).named("BB")), Input.of(64));
                Scope scope = Scope.open()) {
            Tensor ones = Tensor.full(Shape.of(8, 64), 1, DType.FLOAT32);
            for (Model model : List.of(two, other, last)) {
                model.training(true);
                model.restartRandomness(6);
            }
            float[] twice = two.forward(ones).toArray().floats();
            float[] once = last.forward(ones).toArray().floats();
            float[] after = other.forward(ones).toArray().floats();
            int dropped = 0;
            for (int i = 0; i < once.length; i++) {
                if (once[i] == 0) {
                    assertThat(twice[i]).isZero(); // BB drops the same elements wherever it stands
                    assertThat(after[i]).isZero();
                } else if (twice[i] == 0) {
                    dropped++;
                }
            }
            assertThat(dropped).as("by Aa alone").isBetween(64, 192);
        }
    }

    @Test
    void aCausalEncoderDoesNotSeeTheFuture() {
        try (Model model = Model.of(transformerEncoder(2).causal().dropout(0.1), Input.of(ANY, 4));
                Scope scope = Scope.open()) {
            Tensor x = Tensor.of(new float[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 8, 7, 6}, 1, 3, 4);
            Tensor changed = Tensor.of(new float[] {1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 5}, 1, 3, 4);
            NdArray a = model.forward(x).narrow(1, 0, 2).toArray();
            NdArray b = model.forward(changed).narrow(1, 0, 2).toArray();
            assertThat(a.floats()).containsExactly(b.floats(), within(1e-6f));
            model.training(true);
            model.restartRandomness(3);
            NdArray c = model.forward(x).narrow(1, 0, 2).toArray();
            model.restartRandomness(3);
            assertThat(model.forward(changed).narrow(1, 0, 2).toArray().floats())
                    .containsExactly(c.floats(), within(1e-6f));
        }
    }

    @Test
    void positionsAreSinesAndCosines() {
        try (Model model = Model.of(positionalEncoding(), Input.of(2, 4));
                Scope scope = Scope.open()) {
            NdArray out = model.forward(Tensor.zeros(Shape.of(1, 2, 4), DType.FLOAT32))
                    .toArray();
            float[] expected = {
                0, 1, 0, 1, (float) Math.sin(1), (float) Math.cos(1), (float) Math.sin(0.01), (float) Math.cos(0.01)
            };
            assertThat(out.floats()).containsExactly(expected, within(1e-6f));
        }
    }

    @Test
    void initializersDrawWhatTheyPromise() {
        for (Initializer init : Initializer.values()) {
            try (Model model = Model.of(dense(50).noBias().init(init), Input.of(200));
                    Scope scope = Scope.open()) {
                Tensor weight = model.vector().values();
                double deviation = Math.sqrt(weight.square().mean().item());
                double expected = switch (init) {
                    case ZEROS -> 0;
                    case ONES, NORMAL -> 1;
                    case FAN_IN -> 1 / Math.sqrt(3 * 200);
                    case GLOROT -> Math.sqrt(2.0 / 250);
                    case HE -> Math.sqrt(2.0 / 200);
                    case SMALL_NORMAL -> 0.02;
                    case ORTHOGONAL -> 1 / Math.sqrt(200);
                };
                assertThat(deviation).as(init.toString()).isCloseTo(expected, within(expected * 0.05 + 1e-9));
                if (init == Initializer.ORTHOGONAL) {
                    Tensor rows = weight.view(50, 200);
                    double off =
                            rows.matmul(rows.transpose(0, 1)).square().sum().item();
                    assertThat(off).isCloseTo(50, within(1e-3));
                }
            }
        }
    }

    @Test
    void oneSeedGivesOneModelAndOtherLayersDoNotChangeIt() {
        List<Input> inputs = List.of(Input.of(4));
        var options = Model.Options.DEFAULT.seed(7);
        try (Model one = Model.of(Sequential.of(dense(3), dense(2)), options, inputs);
                Model longer = Model.of(Sequential.of(dense(3), layerNorm(), dense(2)), options, inputs);
                Model other = Model.of(Sequential.of(dense(3), dense(2)), options.seed(8), inputs)) {
            assertThat(longer.arrays().get("dense2.weight"))
                    .isEqualTo(one.arrays().get("dense2.weight"));
            assertThat(other.arrays().get("dense2.weight"))
                    .isNotEqualTo(one.arrays().get("dense2.weight"));
        }
    }

    @Test
    void frozenRangesDoNotLearn() {
        try (Model model = Model.of(Sequential.of(dense(3), dense(2), dense(1)), Input.of(4));
                Scope scope = Scope.open()) {
            model.freeze("dense2");
            assertThat(model.trainable()).hasSize(2);
            assertThat(model.trainable().get(0).to()).isEqualTo(15);
            assertThat(model.summary()).contains("8 of them frozen");
            model.forward(Tensor.full(Shape.of(2, 4), 1, DType.FLOAT32)).sum().backward();
            for (Parameter p : model.parameters()) {
                double norm = model.vector().gradients(p.range()).norm().item();
                assertThat(norm == 0).as(p.name()).isEqualTo(p.name().startsWith("dense2"));
            }
            model.unfreeze("dense2.weight");
            assertThat(model.parameters().stream().filter(model::isFrozen))
                    .extracting(Parameter::name)
                    .containsExactly("dense2.bias");
            model.unfreeze("dense2");
            assertThat(model.trainable()).containsExactly(model.vector().all());
            assertThatThrownBy(() -> model.freeze("dense9")).hasMessageContaining("no parameters are named 'dense9'");
        }
    }
}
