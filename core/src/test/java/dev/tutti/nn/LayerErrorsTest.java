package dev.tutti.nn;

import static dev.tutti.array.Shape.ANY;
import static dev.tutti.nn.Layers.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.TuttiException;
import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.json.ConfigException;
import dev.tutti.json.Json;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a user reads who put layers together that do not fit. */
class LayerErrorsTest {
    record Bad(Layer definition, List<Input> inputs, String message) {
        static Bad of(String message, Layer definition, Input... inputs) {
            return new Bad(definition, List.of(inputs), message);
        }

        @Override
        public String toString() {
            return message;
        }
    }

    static List<Bad> definitions() {
        Input image = Input.of(4, 7, 6);
        Input sequence = Input.of(ANY, 4);
        return List.of(
                Bad.of("layer dense needs units of at least 1, received 0", dense(0), Input.of(3)),
                Bad.of(
                        "layer dense1 expects [features] or [time, features] (put a flatten() before it), but receives [2, 5, 4] "
                                + "from conv2d1",
                        Sequential.of(conv2d(2, 3), dense(3)),
                        image),
                Bad.of(
                        "layer embedding needs a vocabulary and a width of at least 1, received 0 and 3",
                        embedding(0, 3),
                        Input.ids(2)),
                Bad.of(
                        "layer embedding has the padding id 5, which is not within 0 to 4",
                        embedding(5, 3).paddingId(5),
                        Input.ids(2)),
                Bad.of(
                        "layer conv1d expects [channels, time], but receives [4, 7, 6] from the input",
                        conv1d(2, 3),
                        image),
                Bad.of(
                        "layer conv2d expects [channels, height, width], but receives [3] from the input",
                        conv2d(2, 3),
                        Input.of(3)),
                Bad.of(
                        "layer conv2d2 expects at least 3 along axis 1 for its window of 3, but receives [2, 1, 2] from maxPool2d1",
                        Sequential.of(conv2d(2, 3), maxPool2d(3, 2), conv2d(2, 3)),
                        image),
                Bad.of(
                        "layer conv2d takes one number or 2 as stride, received [1, 2, 3]",
                        conv2d(2, 3).stride(1, 2, 3),
                        image),
                Bad.of("layer conv2d needs a kernel of at least 1, received [0]", conv2d(2, 0), image),
                Bad.of(
                        "layer conv2d needs a padding of at least 0, received [-1]",
                        conv2d(2, 3).padding(-1),
                        image),
                Bad.of(
                        "layer conv2d has 3 groups, which must divide both its 4 channels and 6 filters",
                        conv2d(6, 3).groups(3),
                        image),
                Bad.of(
                        "layer conv2d cannot keep the length of axis 2 with a kernel of 4: same() takes odd kernels",
                        conv2d(2, 3, 4).same(),
                        image),
                Bad.of(
                        "layer convTranspose1d needs an output padding below its stride or dilation of 2, received 2",
                        convTranspose1d(2, 3).stride(2).outputPadding(2),
                        Input.of(4, 5)),
                Bad.of(
                        "layer convTranspose1d has a padding of 9 that leaves nothing of axis 1 of its input [4, 5]",
                        convTranspose1d(2, 3).padding(9),
                        Input.of(4, 5)),
                Bad.of(
                        "layer maxPool2d needs a padding of at most half its window of [2, 2], received [2, 2]",
                        maxPool2d(2).padding(2),
                        image),
                Bad.of(
                        "layer globalAvgPool2d expects [channels, height, width], but receives [?, 4] from the input",
                        globalAvgPool2d(),
                        sequence),
                Bad.of(
                        "layer flatten expects axes of known length, but receives [?, 4] from the input",
                        flatten(),
                        sequence),
                Bad.of(
                        "layer reshape expects as many elements as [5, -1] has, but receives [4, 7, 6] from the input",
                        reshape(5, -1),
                        image),
                Bad.of("layer permute needs every axis from 0 on once, received [1, 1]", permute(1, 1), sequence),
                Bad.of(
                        "layer dropout needs a dropout rate of at least 0 and below 1, received 1.0",
                        dropout(1),
                        Input.of(3)),
                Bad.of(
                        "layer batchNorm needs a momentum above 0 and up to 1, received 0.0",
                        batchNorm().momentum(0),
                        image),
                Bad.of(
                        "layer layerNorm expects at least 2 axes of known length, but receives [?, 4] from the input",
                        layerNorm().axes(2),
                        sequence),
                Bad.of(
                        "layer lstm1 expects [time, features], but receives [2] from gru1",
                        Sequential.of(gru(2), lstm(3)),
                        sequence),
                Bad.of("layer attention has 3 heads, which must divide its width of 4", attention(3), sequence),
                Bad.of(
                        "layer attention needs the same width for query, keys and values, but receives [[?, 4], [?, 6]] from input 1 "
                                + "and input 2: put a dense(4) before the other",
                        attention(2),
                        sequence,
                        Input.of(ANY, 6)),
                Bad.of(
                        "layer transformerEncoder1 has 3 heads, which must divide its width of 8",
                        Sequential.of(dense(8), transformerEncoder(3)),
                        sequence),
                Bad.of(
                        "layer transformerEncoder1 expects [time, width], but receives [8] from dense1",
                        Sequential.of(dense(8), transformerEncoder(2)),
                        Input.of(3)),
                Bad.of(
                        "layer positionalEncoding receives [?, 4] from the input, whose length is not known: set maxLength",
                        positionalEncoding(),
                        sequence),
                Bad.of(
                        "layer residual1 adds [5] from dense2 to [3] from dense1: both must have one shape, or give it a shortcut(...)",
                        Sequential.of(dense(3), residual(dense(4), dense(5))),
                        Input.of(3)),
                Bad.of(
                        "layer residual1.dense2 expects [features] or [time, features] (put a flatten() before it), but receives "
                                + "[4, 7, 2] from reshape2",
                        Sequential.of(residual(reshape(28, 6), dense(2), reshape(4, 7, 2), dense(3))),
                        image),
                Bad.of(
                        "layer sum (add) needs inputs of one shape, but receives [3] from a and [2] from b",
                        Graph.inputs("x")
                                .add("a", dense(3), "x")
                                .add("b", dense(2), "x")
                                .add("sum", add(), "a", "b")
                                .outputs("sum"),
                        Input.of(4)),
                Bad.of(
                        "layer both (concatenate) needs inputs that differ along axis -1 alone, but receives [4, 7, 6] from x and "
                                + "[5, 5, 4] from a",
                        Graph.inputs("x")
                                .add("a", conv2d(5, 3), "x")
                                .add("both", concatenate(), "x", "a")
                                .outputs("both"),
                        image),
                Bad.of(
                        "layer graph has no node 'smu' before 'outputs', which uses it: did you mean 'sum'?",
                        Graph.inputs("x").add("sum", dense(3), "x").outputs("smu"),
                        Input.of(4)),
                Bad.of(
                        "layer graph has no outputs: end it with outputs(...)",
                        Graph.inputs("x").add("a", dense(3), "x"),
                        Input.of(4)),
                Bad.of(
                        "layer graph has two nodes named 'x'",
                        Graph.inputs("x").add("x", dense(3), "x").outputs("x"),
                        Input.of(4)),
                Bad.of("layer sequential has no layers", Sequential.of(), Input.of(4)),
                Bad.of(
                        "layer sequential has two layers named 'a': names must differ",
                        Sequential.of(dense(3).named("a"), dense(3).named("a")),
                        Input.of(4)),
                Bad.of("layer dense takes one input, received 2", dense(3), Input.of(4), Input.of(4)));
    }

    @ParameterizedTest
    @MethodSource("definitions")
    void aDefinitionThatDoesNotFitSaysWhy(Bad bad) {
        assertThatThrownBy(() -> Model.of(bad.definition(), bad.inputs().toArray(Input[]::new))
                        .close())
                .isInstanceOf(ShapeException.class)
                .hasMessage(bad.message());
    }

    @Test
    void anIdOutsideTheVocabularyIsNamed() {
        try (Model model = Model.of(Sequential.of(embedding(10, 4), lstm(3)), Input.ids(3));
                Scope scope = Scope.open()) {
            for (long bad : new long[] {10, -1, Long.MAX_VALUE}) {
                assertThatThrownBy(() -> model.forward(Tensor.of(new long[] {0, 9, 3, 1, bad, 2}, 2, 3)))
                        .isInstanceOf(TuttiException.class)
                        .hasMessage("layer embedding1 received the id " + bad
                                + ", but its vocabulary is 10: ids go from 0 to 9");
            }
            assertThat(model.forward(Tensor.of(new long[] {0, 9, 3}, 1, 3)).shape())
                    .isEqualTo(Shape.of(1, 3));
        }
    }

    @Test
    void anEmbeddingFedFractionsSaysHowToDeclareIds() {
        try (Model model = Model.of(embedding(10, 4), Input.of(3));
                Scope scope = Scope.open()) {
            assertThatThrownBy(() -> model.forward(Tensor.of(new float[] {1, 2, 3}, 1, 3)))
                    .hasMessage(
                            "layer embedding takes ids, but receives float32: declare the input with Input.ids(...)");
        }
    }

    @Test
    void batchNormCannotTrainOnOneSample() {
        try (Model model = Model.of(batchNorm(), Input.of(3));
                Scope scope = Scope.open()) {
            model.training(true);
            Tensor one = Tensor.zeros(Shape.of(1, 3), DType.FLOAT32);
            assertThatThrownBy(() -> model.forward(one))
                    .hasMessage("layer batchNorm has only one value for each of its 3 channels, "
                            + "which has no variance: train with batches of at least 2");
            model.training(false);
            assertThat(model.forward(one).isFinite()).isTrue();
        }
    }

    @Test
    void aSequenceLongerThanThePositionsIsRefused() {
        try (Model model = Model.of(positionalEncoding().maxLength(4), Input.of(ANY, 2));
                Scope scope = Scope.open()) {
            assertThatThrownBy(() -> model.forward(Tensor.zeros(Shape.of(1, 5, 2), DType.FLOAT32)))
                    .hasMessage(
                            "layer positionalEncoding knows 4 steps, but receives a sequence of 5: set maxLength(5)");
        }
    }

    @Test
    void aBatchOfAnotherShapeIsRefused() {
        try (Model model = Model.of(dense(2), Input.of(3));
                Scope scope = Scope.open()) {
            assertThatThrownBy(() -> model.forward(Tensor.zeros(Shape.of(5, 4), DType.FLOAT32)))
                    .hasMessage("the model was built for samples of shape [3], received a batch of shape [5, 4]");
        }
    }

    @Test
    void loadedValuesMustBeThereAndFit() {
        try (Model model = Model.of(Sequential.of(dense(2)), Input.of(3))) {
            assertThatThrownBy(() ->
                            model.load(java.util.Map.of("dense.weight", NdArray.of(new float[6], 2, 3)), "file.bin"))
                    .hasMessage("file.bin has no values for dense1.weight [2, 3]: it holds dense.weight");
            assertThatThrownBy(() ->
                            model.load(java.util.Map.of("dense1.weight", NdArray.of(new float[6], 3, 2)), "file.bin"))
                    .hasMessage("file.bin holds dense1.weight as [3, 2], the model expects [2, 3]");
        }
    }

    @Test
    void misspeltKindsKeysAndFunctionsAreCorrected() {
        assertThatThrownBy(() -> Json.readYaml("type: conv2\n", Layer.class, "m.yaml"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("unknown layer 'conv2'")
                .hasMessageContaining("conv2d");
        assertThatThrownBy(() -> Json.readYaml("type: conv2d\nfilter: 3\n", Layer.class, "m.yaml"))
                .hasMessageContaining("m.yaml:2")
                .hasMessageContaining("unknown key 'filter': did you mean 'filters'?");
        assertThatThrownBy(() -> Json.readYaml("type: dense\nactivation: rleu\n", Layer.class, "m.yaml"))
                .hasMessageContaining("unknown activation 'rleu': did you mean 'relu'");
        assertThatThrownBy(() -> Json.readYaml("type: dense\ninit: fan_in\n", Layer.class, "m.yaml"))
                .hasMessageContaining("unknown initializer 'fan_in'");
    }

    @Test
    void namesFromFilesFollowTheRuleToo() {
        Layer layer = Json.readYaml(
                "type: sequential\nlayers:\n  - {type: dense, units: 2, name: a.b}\n", Layer.class, "m.yaml");
        assertThatThrownBy(() -> Model.of(layer, Input.of(3)).close())
                .hasMessage(
                        "layer sequential has a layer named 'a.b': a layer's name is letters, digits and underscores, a letter "
                                + "first");
        assertThatThrownBy(() -> dense(3).named("1st")).isInstanceOf(IllegalArgumentException.class);
    }
}
