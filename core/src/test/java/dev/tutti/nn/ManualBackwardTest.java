package dev.tutti.nn;

import static dev.tutti.nn.Layers.add;
import static dev.tutti.nn.Layers.batchNorm;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.nn.Layers.dropout;
import static dev.tutti.nn.Layers.flatten;
import static dev.tutti.nn.Layers.residual;
import static dev.tutti.nn.Layers.transformerEncoder;
import static dev.tutti.nn.RecordedPasses.assertClose;
import static dev.tutti.nn.RecordedPasses.assertEqualAsWritten;
import static dev.tutti.nn.RecordedPasses.gradients;
import static dev.tutti.nn.RecordedPasses.leavesEarly;
import static dev.tutti.nn.RecordedPasses.recorded;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.array.Range;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.vector.GradientListener;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Where the record of a pass is cut, so that large gradients go straight into the vector, they are those of the model as written. */
class ManualBackwardTest {
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

    @Test
    void frozenPartsOfEncodersStayAsTheyAre() {
        Layer chain = Sequential.of(
                transformerEncoder(2).inner(512), transformerEncoder(2).inner(512));
        assertEqualAsWritten(
                chain,
                Input.of(6, 128),
                List.of(
                        "transformerEncoder1",
                        "transformerEncoder2",
                        "transformerEncoder1.linear1",
                        "transformerEncoder2.linear2.weight",
                        "transformerEncoder2.norm2"));
    }

    @Test
    void frozenLayersStayAsTheyAre() {
        Layer chain = Sequential.of(
                dense(WIDTH).relu(), dense(WIDTH).relu(), dense(WIDTH).relu(), dense(3));
        assertEqualAsWritten(
                chain, Input.of(WIDTH), List.of("dense1", "dense2", "dense3", "dense2.bias", "dense1.weight"));
    }

    @Test
    void everyParameterIsReportedOnceItsGradientIsFinal() {
        Layer chain = Sequential.of(dense(WIDTH).relu(), dense(WIDTH).relu(), dense(3));
        try (Model model = model(chain, Model.Options.DEFAULT);
                Scope scope = Scope.open()) {
            List<Range> told = new ArrayList<>();
            List<float[]> seen = new ArrayList<>();
            recorded(model, 0).backward(false, GradientListener.whenFinal(range -> {
                told.add(range);
                seen.add(model.vector().gradients(range).toArray().floats());
            }));
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

    @Test
    void ofWhatTheEngineSeesToNothingIsKnownBeforeTheEnd() {
        try (Model model = model(Sequential.of(dense(8).relu(), dense(3)), Model.Options.DEFAULT);
                Scope scope = Scope.open()) {
            List<Range> told = new ArrayList<>();
            recorded(model, 0).backward(false, GradientListener.whenFinal(told::add));
            assertThat(told).as("final gradients").hasSizeGreaterThan(1);
            told.clear();
            recorded(model, 1).backward(false, GradientListener.whenReleased(told::add));
            assertThat(told).containsExactly(model.vector().all());
        }
    }

    @Test
    void whatTheListenerThrowsComesOut() {
        try (Model model = model(Sequential.of(dense(WIDTH).relu(), dense(3)), Model.Options.DEFAULT);
                Scope scope = Scope.open()) {
            assertThatThrownBy(() -> recorded(model, 0).backward(false, GradientListener.whenFinal(range -> {
                        throw new IllegalStateException("no room");
                    })))
                    .hasMessage("no room");
        }
    }

    @Test
    void aPassThatNoneFollowedLeavesNothingBehind() {
        Layer chain = Sequential.of(dense(WIDTH).relu(), dense(WIDTH).relu(), dense(3));
        try (Model model = model(chain, Model.Options.DEFAULT);
                Model plain = model(chain, Model.Options.DEFAULT.asWritten())) {
            try (Scope scope = Scope.open()) {
                recorded(model, 7);
            }
            assertClose(gradients(model, 1), gradients(plain, 1));
        }
    }

    private static Model model(Layer chain, Model.Options options) {
        return RecordedPasses.model(chain, Input.of(WIDTH), options);
    }
}
