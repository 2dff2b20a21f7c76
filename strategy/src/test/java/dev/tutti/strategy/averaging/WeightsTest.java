package dev.tutti.strategy.averaging;

import static dev.tutti.strategy.averaging.Weights.bySamples;
import static dev.tutti.strategy.averaging.Weights.locallyWeighted;
import static dev.tutti.strategy.averaging.Weights.plain;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.data.SampleSpec.ArraySpec;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.TrainingException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Weights and the outer move against the formulas written out. */
@Timeout(60)
class WeightsTest {
    private static final List<Contribution> MEMBERS = List.of(
            new Contribution(100, 0.5, 4.0, 0.9, 0.8),
            new Contribution(50, 0.3, 1.0, 0.6, 1.0),
            new Contribution(0, 0.0, 9.0, 0.0, 0.0),
            new Contribution(200, 1.3, 7.0, 1.0, 0.5));

    @Test
    void plainAndBySamples() {
        assertThat(plain().of(MEMBERS)).containsExactly(1, 1, 0, 1);
        assertThat(bySamples().of(MEMBERS)).containsExactly(100, 50, 0, 200);
    }

    @Test
    void theFormula() {
        double spread = (4.0 + 1.0 + 7.0) / 3; // the one without data has no say
        assertThat(locallyWeighted().features(true).loss(2).distance(0.5).of(MEMBERS))
                .containsExactly(
                        new double[] {
                            100 * Math.exp(-2 * (0.5 - 0.3)) * Math.exp(-0.5 * 4 / spread) * 0.9 * 0.8,
                            50 * 1.0 * Math.exp(-0.5 * 1 / spread) * 0.6 * 1.0,
                            0,
                            200 * Math.exp(-2 * (1.3 - 0.3)) * Math.exp(-0.5 * 7 / spread) * 1.0 * 0.5
                        },
                        within(1e-12));
    }

    @Test
    void everyFactorCanBeSwitchedOff() {
        LocallyWeighted none =
                locallyWeighted().samples(false).loss(0).distance(0).labels(false);
        assertThat(none.of(MEMBERS)).containsExactly(1, 1, 0, 1);
        assertThat(none.samples(true).of(MEMBERS)).containsExactly(100, 50, 0, 200);
        assertThat(none.labels(true).of(MEMBERS)).containsExactly(0.9, 0.6, 0, 1.0);
        assertThat(none.features(true).of(MEMBERS)).containsExactly(0.8, 1.0, 0, 0.5);
        assertThat(none.loss(1).of(MEMBERS)[3]).isCloseTo(Math.exp(-1), within(1e-12));
        assertThat(none.distance(1).of(MEMBERS)[0]).isCloseTo(Math.exp(-1), within(1e-12));
        assertThat(none.needs().distance()).isFalse();
        assertThat(none.needs().labels()).isFalse();
    }

    @Test
    void whoWentAstrayCountsNothing() {
        double[] weights = locallyWeighted()
                .of(List.of(new Contribution(10, Double.NaN, 1, 1, 1), new Contribution(10, 0.5, 1, 1, 1)));
        assertThat(weights[0]).isZero();
        assertThat(weights[1]).isPositive();
        assertThat(locallyWeighted()
                        .of(List.of(
                                new Contribution(10, Double.NaN, 1, 1, 1), new Contribution(5, Double.NaN, 1, 1, 1))))
                .containsExactly(10, 5);
    }

    @Test
    void likenessOfClassesIsWhatDistributionsHaveInCommon() {
        Distribution mine = Distribution.ofLabels(new ArraySpec(DType.INT64, Shape.of()), 3);
        mine.add(NdArray.of(new long[] {0, 0, 1, 1}, 4));
        // of all: 2, 4 and 4 of ten
        assertThat(mine.likeness(new double[] {2, 4, 4})).isCloseTo(0.2 + 0.4, within(1e-12));
        assertThat(mine.likeness(mine.sums())).isCloseTo(1, within(1e-12));
        mine.clear();
        assertThat(mine.likeness(new double[] {2, 4, 4})).isZero();
    }

    @Test
    void likenessOfNumbersIsNearnessOfTheirMeans() {
        ArraySpec spec = new ArraySpec(DType.FLOAT32, Shape.of(2));
        Distribution mine = Distribution.ofNumbers(spec);
        mine.add(NdArray.of(new float[] {1, 2, 3, 4}, 2, 2));
        Distribution all = Distribution.ofNumbers(spec);
        all.add(NdArray.of(new float[] {1, 2, 3, 4, 0, 0, 4, 6}, 4, 2));
        // means (2, 3) and (2, 3): the same
        assertThat(mine.likeness(all.sums())).isCloseTo(1, within(1e-12));
        Distribution others = Distribution.ofNumbers(spec);
        others.add(NdArray.of(new float[] {1, 2, 3, 4, 5, 6}, 3, 2));
        // means (2, 3) and (3, 4); variance ((4 + 4) + 0 + (4 + 4)) / 3
        assertThat(mine.likeness(others.sums())).isCloseTo(Math.exp(-2 / (16.0 / 3)), within(1e-12));
    }

    @Test
    void theOuterMove() {
        double rate = 0.7;
        double momentum = 0.9;
        double anchor = 1;
        double velocity = 0;
        try (Scope scope = Scope.open();
                OuterOptimizer.Move move =
                        OuterOptimizer.nesterov(rate, momentum).bind(Tensor.of(new double[1], 1))) {
            for (double average : new double[] {0.8, 0.5, 0.9}) {
                double delta = anchor - average;
                velocity = momentum * velocity + delta;
                double expected = anchor - rate * (delta + momentum * velocity);
                Tensor values = Tensor.of(new double[] {average}, 1);
                move.apply(Tensor.of(new double[] {anchor}, 1), values);
                assertThat(values.item()).isCloseTo(expected, within(1e-12));
                anchor = expected;
            }
            assertThat(move.state().get("outer.velocity").item()).isCloseTo(velocity, within(1e-12));
        }
    }

    @Test
    void settingsOutOfBoundsAreNamed() {
        assertThatThrownBy(() -> locallyWeighted().loss(-1))
                .isInstanceOf(TrainingException.class)
                .hasMessage("locallyWeighted: loss is how steeply weights fall with it, at least 0 and finite, received"
                        + " -1.0");
        assertThatThrownBy(() -> locallyWeighted().validation(0))
                .hasMessage("locallyWeighted: validation is a part of a round, above 0 and at most 1, received 0.0");
        assertThatThrownBy(() -> OuterOptimizer.nesterov(0.7, 1))
                .hasMessage("nesterov: momentum must be at least 0 and below 1, received 1.0");
    }
}
