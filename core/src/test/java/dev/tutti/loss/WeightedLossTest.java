package dev.tutti.loss;

import static dev.tutti.loss.Losses.mse;
import static dev.tutti.loss.Losses.perOutput;
import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.array.NdArray;
import dev.tutti.json.Json;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A weight of 3 for a sample is the sample three times; a weight of 0 is its absence. */
class WeightedLossTest {
    private static final float[] OUTPUTS = {0.3f, -1.2f, 2.0f, 0.1f, 0.5f, -0.7f, 1.1f, 0.9f};
    private static final float[] WEIGHTS = {3, 0, 1.5f, 1};

    @ParameterizedTest
    @ValueSource(strings = {"mse", "mae", "huber", "binaryCrossEntropy", "softmaxCrossEntropy"})
    void lossesOfSamplesAreMultipliedByTheirWeights(String kind) {
        Loss plain = Json.read("{\"type\": \"" + kind + "\"}", Loss.class, "loss");
        Loss weighted = Json.read("{\"type\": \"" + kind + "\", \"weighted\": true}", Loss.class, "loss");
        boolean classes = kind.equals("softmaxCrossEntropy");
        double expected = 0;
        try (Scope scope = Scope.open()) {
            for (int row = 0; row < WEIGHTS.length; row++) {
                expected += WEIGHTS[row]
                        * plain.compute(output(row, 1), target(classes, row, 1)).item()
                        / WEIGHTS.length;
            }
            Tensor loss = weighted.compute(
                    List.of(output(0, 4)),
                    List.of(target(classes, 0, 4), Tensor.of(NdArray.of(WEIGHTS, WEIGHTS.length))));
            assertThat(loss.item()).isCloseTo(expected, within(1e-6));
            assertThat(plain.weighted()
                            .compute(
                                    List.of(output(0, 4)),
                                    List.of(target(classes, 0, 4), Tensor.of(new double[] {1, 1, 1, 1}, 4)))
                            .item())
                    .isCloseTo(
                            plain.compute(output(0, 4), target(classes, 0, 4)).item(), within(1e-6));
        }
    }

    @Test
    void aWeightCountsForAllOutputsOfAModel() {
        try (Scope scope = Scope.open()) {
            Tensor weights = Tensor.of(NdArray.of(WEIGHTS, WEIGHTS.length));
            List<Tensor> outputs = List.of(output(0, 4), output(0, 4));
            Tensor both = perOutput(mse(), softmaxCrossEntropy())
                    .weights(2, 0.5)
                    .weighted()
                    .compute(outputs, List.of(target(false, 0, 4), target(true, 0, 4), weights));
            double first = mse().weighted()
                    .compute(List.of(output(0, 4)), List.of(target(false, 0, 4), weights))
                    .item();
            double second = softmaxCrossEntropy()
                    .weighted()
                    .compute(List.of(output(0, 4)), List.of(target(true, 0, 4), weights))
                    .item();
            assertThat(both.item()).isCloseTo(2 * first + 0.5 * second, within(1e-6));
            assertThatThrownBy(() -> perOutput(mse(), mse())
                            .weighted()
                            .compute(outputs, List.of(target(false, 0, 4), target(false, 0, 4))))
                    .hasMessageContaining("the last target")
                    .hasMessageContaining("2 targets");
        }
        assertThatThrownBy(() -> perOutput(mse().weighted(), mse())).hasMessageContaining("one weight for all outputs");
    }

    private static Tensor output(int from, int rows) {
        return Tensor.of(NdArray.of(java.util.Arrays.copyOfRange(OUTPUTS, 2 * from, 2 * (from + rows)), rows, 2));
    }

    private static Tensor target(boolean classes, int from, int rows) {
        if (classes) {
            return Tensor.of(
                    NdArray.of(java.util.Arrays.copyOfRange(new long[] {1, 0, 1, 0}, from, from + rows), rows));
        }
        float[] all = {1, 0, 0, 0.5f, 1, 1, 0, 0.25f};
        return Tensor.of(NdArray.of(java.util.Arrays.copyOfRange(all, 2 * from, 2 * (from + rows)), rows, 2));
    }
}
