package dev.tutti.nn;

import static dev.tutti.nn.Layers.add;
import static dev.tutti.nn.Layers.batchNorm;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.nn.Layers.dropout;
import static dev.tutti.nn.Layers.flatten;
import static dev.tutti.nn.Layers.residual;
import static dev.tutti.nn.Layers.transformerEncoder;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.tensor.DType;
import dev.tutti.tensor.FlatVector;
import dev.tutti.tensor.Randomness;
import dev.tutti.tensor.Range;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Where the record of a pass is cut, so that large gradients go straight into the vector, they are those of the model as written. */
class CutTest {
    private static final int WIDTH = 270; // its square is a large gradient

    static Stream<Layer> chains() {
        return Stream.of(
                Sequential.of(dense(WIDTH).relu(), dense(WIDTH).relu(), dense(3)),
                Sequential.of(dense(WIDTH), dense(WIDTH).noBias(), dense(3)),
                Sequential.of(dense(WIDTH).tanh(), batchNorm(), dense(WIDTH).sigmoid(), dense(WIDTH), dense(3)),
                Sequential.of(dense(WIDTH).relu(), dropout(0.3), dense(WIDTH).relu()),
                Sequential.of(dense(4), residual(dense(WIDTH), dense(WIDTH).relu(), dense(4)), dense(WIDTH)),
                Sequential.of(
                        Sequential.of(dense(WIDTH).relu(), dense(WIDTH)),
                        dense(WIDTH).relu(),
                        dense(2)));
    }

    @ParameterizedTest
    @MethodSource("chains")
    void equalTheModelAsWritten(Layer chain) {
        assertEqualAsWritten(chain, Input.of(WIDTH));
    }

    static Stream<Layer> encoders() {
        TransformerEncoder encoder = transformerEncoder(4).inner(512); // by a width of 128: large gradients
        return Stream.of(
                encoder,
                encoder.innerActivation(Activation.RELU),
                Sequential.of(encoder.innerActivation(Activation.RELU), encoder.causal(), dense(512), dense(3)),
                Sequential.of(dense(128).tanh(), encoder.postNorm(), encoder.innerActivation(Activation.TANH)),
                Sequential.of(encoder.inner(16), encoder.dropout(0.2), encoder),
                Sequential.of(encoder, flatten(), dense(WIDTH).relu(), dense(2)),
                Sequential.of(Sequential.of(encoder, encoder), residual(encoder), residual(residual(encoder, encoder))),
                Sequential.of(residual(Sequential.of(encoder), dense(128)).shortcut(encoder)),
                Graph.inputs("x")
                        .add("one", encoder, "x")
                        .add("two", Sequential.of(encoder), "one")
                        .add("sum", add(), "one", "two")
                        .outputs("sum"));
    }

    @ParameterizedTest
    @MethodSource("encoders")
    void alsoWithinEncodersAndRoundThem(Layer model) {
        assertEqualAsWritten(model, Input.of(6, 128));
    }

    private static void assertEqualAsWritten(Layer definition, Input input) {
        try (Model fast = model(definition, input, Model.Options.DEFAULT);
                Model plain = model(definition, input, Model.Options.DEFAULT.asWritten())) {
            assertClose(gradients(fast, 1), gradients(plain, 1));
            assertClose(gradients(fast, 3), gradients(plain, 3));
        }
    }

    @Test
    void frozenPartsOfEncodersStayAsTheyAre() {
        Layer chain = Sequential.of(
                transformerEncoder(2).inner(512), transformerEncoder(2).inner(512));
        for (String frozen : List.of(
                "transformerEncoder1",
                "transformerEncoder2",
                "transformerEncoder1.linear1",
                "transformerEncoder2.linear2.weight",
                "transformerEncoder2.norm2")) {
            try (Model fast = model(chain, Input.of(6, 128), Model.Options.DEFAULT);
                    Model plain = model(chain, Input.of(6, 128), Model.Options.DEFAULT.asWritten())) {
                fast.freeze(frozen);
                plain.freeze(frozen);
                assertClose(gradients(fast, 2), gradients(plain, 2));
            }
        }
    }

    @Test
    void frozenLayersStayAsTheyAre() {
        Layer chain = Sequential.of(
                dense(WIDTH).relu(), dense(WIDTH).relu(), dense(WIDTH).relu(), dense(3));
        for (String frozen : List.of("dense1", "dense2", "dense3", "dense2.bias", "dense1.weight")) {
            try (Model fast = model(chain, Model.Options.DEFAULT);
                    Model plain = model(chain, Model.Options.DEFAULT.asWritten())) {
                fast.freeze(frozen);
                plain.freeze(frozen);
                assertClose(gradients(fast, 2), gradients(plain, 2));
            }
        }
    }

    @Test
    void everyParameterIsReportedOnceItsGradientIsFinal() {
        Layer chain = Sequential.of(dense(WIDTH).relu(), dense(WIDTH).relu(), dense(3));
        try (Model model = model(chain, Model.Options.DEFAULT);
                Scope scope = Scope.open()) {
            List<Range> told = new ArrayList<>();
            List<float[]> seen = new ArrayList<>();
            model.vector().backward(loss(model, 0), false, range -> {
                told.add(range);
                seen.add(model.vector().gradients(range).toArray().floats());
            });
            List<Range> expected = new ArrayList<>(
                    model.parameters().stream().map(Parameter::range).toList());
            expected.add(model.vector().all());
            assertThat(told).containsExactlyInAnyOrderElementsOf(expected);
            for (int i = 0; i < told.size(); i++) {
                assertThat(seen.get(i))
                        .containsExactly(
                                model.vector().gradients(told.get(i)).toArray().floats());
            }
        }
    }

    @Test
    void whatAPassHasLeftItDoesNotReadAgain() {
        assertThat(chains().filter(chain -> leavesEarly(chain, Input.of(WIDTH))))
                .hasSizeGreaterThan(3);
        assertThat(encoders().filter(encoder -> leavesEarly(encoder, Input.of(6, 128))))
                .hasSizeGreaterThan(5);
    }

    /** Spoils whatever has been left at once; says whether anything was before the end. */
    private static boolean leavesEarly(Layer definition, Input input) {
        try (Model plain = model(definition, input, Model.Options.DEFAULT);
                Model changing = model(definition, input, Model.Options.DEFAULT);
                Scope scope = Scope.open()) {
            FlatVector vector = changing.vector();
            List<Range> left = new ArrayList<>();
            vector.backwardLeaving(loss(changing, 0), false, range -> {
                if (!range.equals(vector.all())) {
                    vector.values(range).fill_(Double.NaN);
                }
                left.add(range);
            });
            assertThat(left).doesNotHaveDuplicates().endsWith(vector.all());
            assertThat(vector.gradients().toArray().floats()).isEqualTo(gradients(plain, 1));
            return left.size() > 1;
        }
    }

    @Test
    void ofWhatTheEngineSeesToNothingIsKnownBeforeTheEnd() {
        try (Model model = model(Sequential.of(dense(8).relu(), dense(3)), Model.Options.DEFAULT);
                Scope scope = Scope.open()) {
            List<Range> told = new ArrayList<>();
            model.vector().backward(loss(model, 0), false, told::add);
            assertThat(told).as("final gradients").hasSizeGreaterThan(1);
            told.clear();
            model.vector().backwardLeaving(loss(model, 1), false, told::add);
            assertThat(told).containsExactly(model.vector().all());
        }
    }

    @Test
    void whatTheListenerThrowsComesOut() {
        try (Model model = model(Sequential.of(dense(WIDTH).relu(), dense(3)), Model.Options.DEFAULT);
                Scope scope = Scope.open()) {
            assertThatThrownBy(() -> model.vector().backward(loss(model, 0), false, range -> {
                        throw new IllegalStateException("no room");
                    }))
                    .hasMessage("no room");
        }
    }

    @Test
    void aPassThatNoneFollowedLeavesNothingBehind() {
        Layer chain = Sequential.of(dense(WIDTH).relu(), dense(WIDTH).relu(), dense(3));
        try (Model model = model(chain, Model.Options.DEFAULT);
                Model plain = model(chain, Model.Options.DEFAULT.asWritten())) {
            try (Scope scope = Scope.open()) {
                loss(model, 7);
            }
            assertClose(gradients(model, 1), gradients(plain, 1));
        }
    }

    private static Model model(Layer chain, Model.Options options) {
        return model(chain, Input.of(WIDTH), options);
    }

    private static Model model(Layer definition, Input input, Model.Options options) {
        Model model = Model.of(definition, options.seed(4), List.of(input));
        model.training(true);
        return model;
    }

    /** The gradients of so many batches, added up. */
    private static float[] gradients(Model model, int batches) {
        for (int i = 0; i < batches; i++) {
            try (Scope scope = Scope.open()) {
                model.vector().backward(loss(model, i), i > 0);
            }
        }
        try (Scope scope = Scope.open()) {
            return model.vector().gradients().toArray().floats();
        }
    }

    private static Tensor loss(Model model, int batch) {
        model.restartRandomness(5, batch);
        Tensor x = Tensor.zeros(model.inputs().get(0).shape().prepend(6), DType.FLOAT32);
        try (Randomness random = new Randomness(batch)) {
            random.normal_(x, 0, 1);
        }
        Tensor output = model.record(List.of(x)).get(0);
        return output.mul(output).mean();
    }

    private static void assertClose(float[] actual, float[] expected) {
        assertThat(actual).hasSameSizeAs(expected);
        float scale = 0;
        for (float value : expected) {
            scale = Math.max(scale, Math.abs(value));
        }
        assertThat(scale).isPositive();
        for (int i = 0; i < expected.length; i++) {
            assertThat(actual[i]).as("element %d", i).isCloseTo(expected[i], within(2e-5f * scale));
        }
    }
}
