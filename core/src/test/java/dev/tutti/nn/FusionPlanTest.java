package dev.tutti.nn;

import static dev.tutti.nn.Layers.avgPool2d;
import static dev.tutti.nn.Layers.conv1d;
import static dev.tutti.nn.Layers.conv2d;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.nn.Layers.flatten;
import static dev.tutti.nn.Layers.maxPool1d;
import static dev.tutti.nn.Layers.maxPool2d;
import static dev.tutti.nn.Layers.residual;
import static dev.tutti.nn.Layers.transformerEncoder;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.tensor.Randomness;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The faster way through a chain of layers comes to the result of the chain as written: outputs and all gradients. */
class FusionPlanTest {
    static Stream<Arguments> chains() {
        Input image = Input.of(3, 12, 10);
        return Stream.of(
                Arguments.of(image, Sequential.of(conv2d(8, 3).same().relu(), maxPool2d(2), flatten(), dense(4))),
                Arguments.of(
                        image,
                        Sequential.of(
                                conv2d(8, 3).relu(),
                                maxPool2d(2),
                                conv2d(6, 3).same().relu(),
                                maxPool2d(2),
                                flatten())),
                Arguments.of(
                        image,
                        Sequential.of(
                                conv2d(6, 3).stride(2).relu(),
                                conv2d(6, 3).dilation(2).same().relu())),
                Arguments.of(
                        image,
                        Sequential.of(
                                conv2d(6, 3).groups(3).relu(),
                                maxPool2d(3).stride(2).padding(1))),
                Arguments.of(
                        image,
                        Sequential.of(conv2d(5, 1).noBias(), conv2d(7, 2, 3).tanh(), maxPool2d(2))),
                Arguments.of(image, Sequential.of(conv2d(5, 3).sigmoid(), maxPool2d(2), avgPool2d(2), conv2d(2, 1))),
                Arguments.of(image, Sequential.of(maxPool2d(2).relu(), maxPool2d(2))),
                Arguments.of(image, Sequential.of(conv2d(3, 3).gelu(), maxPool2d(2))),
                Arguments.of(
                        image,
                        Sequential.of(residual(
                                        conv2d(3, 3).same().relu(), conv2d(3, 3).same())
                                .relu())),
                Arguments.of(Input.of(3, 20), Sequential.of(conv1d(4, 3).relu(), maxPool1d(2), flatten(), dense(2))),
                Arguments.of(image, Sequential.of(conv2d(6, 3).relu())),
                Arguments.of(Input.of(7, 8), Sequential.of(transformerEncoder(2).inner(16))),
                Arguments.of(
                        Input.of(7, 8),
                        Sequential.of(transformerEncoder(2)
                                .inner(16)
                                .innerActivation(Activation.RELU)
                                .postNorm())));
    }

    @ParameterizedTest
    @MethodSource("chains")
    void equalTheChainAsWritten(Input input, Layer chain) {
        try (Model fast = Model.of(chain, Model.Options.DEFAULT.seed(4), List.of(input));
                Model plain = Model.of(chain, Model.Options.DEFAULT.seed(4).asWritten(), List.of(input));
                Scope scope = Scope.open()) {
            Tensor x = Tensor.zeros(input.shape().prepend(5), DType.FLOAT32);
            try (Randomness random = new Randomness(9)) {
                random.normal_(x, 0, 1);
            }
            NdArray[] expected = results(plain, x);
            NdArray[] actual = results(fast, x);
            for (int i = 0; i < expected.length; i++) {
                assertClose(actual[i], expected[i]);
            }
        }
    }

    /** Output, gradient of the input, gradients of the parameters. */
    private static NdArray[] results(Model model, Tensor x) {
        Tensor input = x.copy().requiresGradient(true);
        model.vector().zeroGradients();
        Tensor output = model.forward(input);
        // Weighs outputs differently, so that gradients that were mixed up would show.
        Tensor weights = Tensor.range(0, output.size())
                .to(DType.FLOAT32)
                .mul(0.01)
                .reshape(output.shape().toArray());
        output.mul(weights).sum().backward();
        return new NdArray[] {
            output.toArray(),
            input.gradient().orElseThrow().toArray(),
            model.vector().gradients().toArray()
        };
    }

    private static void assertClose(NdArray actual, NdArray expected) {
        assertThat(actual.shape()).isEqualTo(expected.shape());
        double scale = 1;
        for (int i = 0; i < expected.size(); i++) {
            scale = Math.max(scale, Math.abs(expected.at(i)));
        }
        for (int i = 0; i < expected.size(); i++) {
            assertThat(actual.at(i)).isCloseTo(expected.at(i), within(2e-5 * scale));
        }
    }

    @ParameterizedTest
    @MethodSource("chains")
    void giveTheShapeThatWasBuilt(Input input, Layer chain) {
        try (Model fast = Model.of(chain, input);
                Scope scope = Scope.open()) {
            Shape expected = fast.outputs().get(0).prepend(2);
            assertThat(fast.forward(Tensor.zeros(input.shape().prepend(2), DType.FLOAT32))
                            .shape())
                    .isEqualTo(expected);
        }
    }
}
