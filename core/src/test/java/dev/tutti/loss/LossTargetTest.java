package dev.tutti.loss;

import static dev.tutti.loss.Losses.binaryCrossEntropy;
import static dev.tutti.loss.Losses.huber;
import static dev.tutti.loss.Losses.mae;
import static dev.tutti.loss.Losses.mse;
import static dev.tutti.loss.Losses.perOutput;
import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.TuttiException;
import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Targets that fit in more than one form, and those that do not fit, each with its message. */
class LossTargetTest {
    private static final Shape TEN = Shape.of(10);

    // ---- forms that are the same

    @Test
    void classIdsOneHotAndColumnsGiveTheSameLoss() {
        try (Scope scope = Scope.open()) {
            Tensor output = Tensor.of(new double[] {0.1, 0.7, -0.3, 1.1, 0.2, 0.4}, 2, 3);
            double byId = softmaxCrossEntropy()
                    .compute(output, Tensor.of(new long[] {2, 0}, 2))
                    .item();
            Stream.of(
                            NdArray.of(new double[] {0, 0, 1, 1, 0, 0}, 2, 3),
                            NdArray.of(new byte[] {0, 0, 1, 1, 0, 0}, 2, 3),
                            NdArray.of(new boolean[] {false, false, true, true, false, false}, 2, 3),
                            NdArray.of(new int[] {2, 0}, 2),
                            NdArray.of(new byte[] {2, 0}, 2),
                            NdArray.of(new float[] {2, 0}, 2),
                            NdArray.of(new long[] {2, 0}, 2, 1))
                    .forEach(target -> {
                        softmaxCrossEntropy().check(target, Shape.of(3));
                        assertThat(softmaxCrossEntropy()
                                        .compute(output, Tensor.of(target))
                                        .item())
                                .as("%s", target)
                                .isCloseTo(byId, within(1e-12));
                    });
        }
    }

    @Test
    void whatIsIgnoredMayHaveAnyLabel() {
        try (Scope scope = Scope.open()) {
            Tensor output = Tensor.of(new double[] {0.1, 0.7, 1.1, 0.2}, 2, 2);
            double first = softmaxCrossEntropy()
                    .compute(output.narrow(0, 0, 1), Tensor.of(new long[] {1}, 1))
                    .item();
            NdArray padded = NdArray.of(new long[] {1, -7}, 2);
            Loss loss = softmaxCrossEntropy().ignoring(-7);
            loss.check(padded, Shape.of(2));
            assertThat(loss.compute(output, Tensor.of(padded)).item()).isCloseTo(first, within(1e-12));
        }
    }

    static Stream<Loss> elementwise() {
        return Stream.of(mse(), mae(), huber(1), binaryCrossEntropy());
    }

    @ParameterizedTest
    @MethodSource("elementwise")
    void columnsAreFittedAndNothingIsBroadcast(Loss loss) {
        try (Scope scope = Scope.open()) {
            Tensor flat = Tensor.of(new double[] {0.5, 1, 0}, 3);
            Tensor column = Tensor.of(new double[] {0.2, -0.7, 0.9}, 3, 1);
            double same = loss.compute(column, flat.view(3, 1)).item();
            assertThat(loss.compute(column, flat).item()).isEqualTo(same);
            assertThat(loss.compute(column.view(3), flat.view(3, 1)).item()).isEqualTo(same);
            loss.check(NdArray.of(new double[] {0.5, 1, 0}, 3), Shape.of(1));
            loss.check(NdArray.of(new double[] {0.5, 1, 0}, 3, 1), Shape.scalar());

            assertThatThrownBy(() -> loss.compute(column, Tensor.of(new double[] {1, 0}, 2)))
                    .isInstanceOf(TargetException.class)
                    .hasMessage(loss.kind() + ": the model gives outputs [3, 1], but the data gives targets [2]: "
                            + "both must have the same shape");
            assertThatThrownBy(() -> loss.compute(column, Tensor.of(new double[] {1, 0, 1}, 1, 3)))
                    .isInstanceOf(TargetException.class)
                    .hasMessageContaining("[3, 1]")
                    .hasMessageContaining("[1, 3]");
            assertThatThrownBy(() -> loss.check(NdArray.zeros(DType.FLOAT32, Shape.of(3, 2)), Shape.of(4)))
                    .isInstanceOf(TargetException.class)
                    .hasMessage(
                            loss.kind() + ": the model gives outputs [4] for each sample, but the data gives targets "
                                    + "[3, 2] for a batch: both must have the same shape");
        }
    }

    // ---- those that do not fit

    @Test
    void labelsOutOfRangeAreNamed() {
        refuses(
                softmaxCrossEntropy(),
                NdArray.of(new long[] {3, 9, 12, 1}, 4),
                TEN,
                "softmaxCrossEntropy: label 12 in row 2 of the batch is out of range: the model gives 10 classes, "
                        + "so labels are 0 to 9");
        refuses(
                softmaxCrossEntropy(),
                NdArray.of(new int[] {3, -1}, 2),
                TEN,
                "softmaxCrossEntropy: label -1 in row 1 of the batch is out of range: the model gives 10 classes, "
                        + "so labels are 0 to 9");
        refuses(
                softmaxCrossEntropy(),
                NdArray.of(new float[] {2.5f}, 1),
                TEN,
                "softmaxCrossEntropy: label 2.5 in row 0 of the batch is not a whole number: the model gives 10"
                        + " classes, so labels are 0 to 9");
        refuses(
                softmaxCrossEntropy(),
                NdArray.of(new long[] {0, 1, 2, 3, 10, 5}, 2, 3),
                Shape.of(Shape.ANY, 10),
                "softmaxCrossEntropy: label 10 in row 1 of the batch is out of range: the model gives 10 classes, "
                        + "so labels are 0 to 9");
        refuses(
                softmaxCrossEntropy(),
                NdArray.of(new long[] {-100}, 1),
                TEN,
                "softmaxCrossEntropy: label -100 in row 0 of the batch is out of range: the model gives 10 classes, "
                        + "so labels are 0 to 9 (ignoring(-100) leaves such labels out)");
    }

    @Test
    void otherTargetsThatDoNotFitAreNamed() {
        refuses(
                softmaxCrossEntropy(),
                NdArray.of(new long[12], 4, 3),
                TEN,
                "softmaxCrossEntropy: the model gives [4, 10], but the data gives targets [4, 3]: "
                        + "expected class ids [4] or one number for each class [4, 10]");
        refuses(
                softmaxCrossEntropy(),
                NdArray.of(new float[] {0.5f, 0.5f, 0.5f, 0.9f}, 2, 2),
                Shape.of(2),
                "softmaxCrossEntropy: the targets in row 1 of the batch are not shares of the classes: they must not"
                        + " be negative and must add up to 1, their sum is 1.399999976158142");
        refuses(
                softmaxCrossEntropy(),
                NdArray.of(new long[] {0}, 1),
                Shape.of(1),
                "softmaxCrossEntropy: the model gives 1 class, of which the softmax is always sure: give it one output"
                        + " for each class, or use binaryCrossEntropy");
        refuses(
                softmaxCrossEntropy().classWeights(1, 2),
                NdArray.of(new long[] {0}, 1),
                TEN,
                "softmaxCrossEntropy: 2 class weights were given, but the model gives 10 classes");
        refuses(
                binaryCrossEntropy(),
                NdArray.of(new int[] {0, 1, 2, 0}, 2, 2),
                Shape.of(2),
                "binaryCrossEntropy: target 2.0 in row 1 of the batch is not between 0 and 1");
    }

    @Test
    void numbersOfOutputsAndTargetsMustAgree() {
        NdArray target = NdArray.of(new float[] {1}, 1);
        assertThatThrownBy(() -> mse().check(List.of(target, target), List.of(Shape.of(1))))
                .isInstanceOf(TargetException.class)
                .hasMessage("mse expects one target for each sample, received 2"
                        + " (a loss that is 'weighted' takes the second as the weight)");
        assertThatThrownBy(() -> mse().weighted().check(List.of(target), List.of(Shape.of(1))))
                .hasMessageContaining("it expects a target and a weight for each sample, received 1 target without");
        assertThatThrownBy(() ->
                        mse().weighted().check(List.of(target, NdArray.of(new float[] {-1}, 1)), List.of(Shape.of(1))))
                .hasMessageContaining("the weight in row 0 of the batch is -1.0");
        assertThatThrownBy(() ->
                        mse().weighted().check(List.of(target, NdArray.of(new long[] {1}, 1)), List.of(Shape.of(1))))
                .hasMessageContaining("expected floating numbers of shape [1]");
        assertThatThrownBy(() -> mse().check(List.of(target), List.of(Shape.of(1), Shape.of(1))))
                .hasMessage(
                        "mse is the loss of one output, but the model has 2: give each its own with perOutput(...)");
        assertThatThrownBy(() -> perOutput(mse(), mae()).check(List.of(target), List.of(Shape.of(1), Shape.of(1))))
                .hasMessage("perOutput: 2 losses were given, but the model has 2 outputs and the data 1 targets");
        assertThatThrownBy(() -> perOutput(mse(), softmaxCrossEntropy())
                        .check(List.of(target, NdArray.of(new long[] {7}, 1)), List.of(Shape.of(1), Shape.of(3))))
                .isInstanceOf(TargetException.class)
                .hasMessage("output 2: softmaxCrossEntropy: label 7 in row 0 of the batch is out of range: "
                        + "the model gives 3 classes, so labels are 0 to 2");
    }

    @Test
    void settingsOutOfBoundsAreRefused() {
        refuses(() -> huber(0), "huber: delta, where squares turn into absolutes, must be above 0, received 0.0");
        refuses(
                () -> softmaxCrossEntropy().labelSmoothing(1),
                "softmaxCrossEntropy: labelSmoothing must be at least 0 and below 1, received 1.0");
        refuses(
                () -> softmaxCrossEntropy().classWeights(1, -1),
                "softmaxCrossEntropy: classWeights must not be negative, received [1.0, -1.0]");
        refuses(
                () -> binaryCrossEntropy().positiveWeight(-1),
                "binaryCrossEntropy: positiveWeight must be above 0, received -1.0");
        refuses(() -> perOutput(), "perOutput: expected a loss for each output, received none");
        refuses(() -> perOutput(mse(), mae()).weights(1), "perOutput: 1 weights were given for 2 losses");
    }

    private static void refuses(Runnable call, String message) {
        assertThatThrownBy(call::run).isInstanceOf(TuttiException.class).hasMessage(message);
    }

    private static void refuses(Loss loss, NdArray target, Shape output, String message) {
        assertThatThrownBy(() -> loss.check(List.of(target), List.of(output)))
                .isInstanceOf(TargetException.class)
                .hasMessage(message);
    }
}
