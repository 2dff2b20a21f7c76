package dev.tutti.nn;

import static dev.tutti.nn.Layers.batchNorm;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.nn.Layers.dropout;
import static dev.tutti.nn.Layers.residual;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.tensor.DType;
import dev.tutti.tensor.Randomness;
import dev.tutti.tensor.Range;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Shape;
import dev.tutti.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Large dense layers whose gradients go straight into the vector give the gradients of the model as written. */
class CutProductTest {
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
        try (Model fast = model(chain, Model.Options.DEFAULT);
                Model plain = model(chain, Model.Options.DEFAULT.asWritten())) {
            assertClose(gradients(fast, 1), gradients(plain, 1));
            assertClose(gradients(fast, 3), gradients(plain, 3));
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
        Model model = Model.of(chain, options.seed(4), List.of(Input.of(WIDTH)));
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
        Tensor x = Tensor.zeros(Shape.of(6, WIDTH), DType.FLOAT32);
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
