package dev.tutti.optim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Range;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.vector.FlatVector;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MovingAverageTest {
    private static final int SIZE = 21;

    @Test
    void equalsItsTwin() {
        try (FlatVector vector = GradientSeries.vector(SIZE, DType.FLOAT64);
                MovingAverage plain = MovingAverage.of(vector, 0.9);
                MovingAverage warm = MovingAverage.withWarmup(vector, 0.9)) {
            double[] expected = GradientSeries.values(SIZE);
            double[] expectedWarm = GradientSeries.values(SIZE);
            for (int step = 0; step < 100; step++) {
                double[] values = GradientSeries.gradients(SIZE, step);
                vector.values().write(NdArray.of(values, SIZE));
                plain.update();
                warm.update();
                double decay = Math.min(0.9, (1.0 + step) / (10.0 + step));
                for (int i = 0; i < SIZE; i++) {
                    expected[i] = 0.9 * expected[i] + 0.1 * values[i];
                    expectedWarm[i] = decay * expectedWarm[i] + (1 - decay) * values[i];
                }
            }
            assertThat(averageOf(plain)).containsExactly(expected, within(1e-12));
            assertThat(averageOf(warm)).containsExactly(expectedWarm, within(1e-12));
        }
    }

    @Test
    void swappingInAndBackIsExact() {
        try (FlatVector vector = GradientSeries.vector(SIZE, DType.FLOAT32);
                MovingAverage average = MovingAverage.of(vector, 0.7)) {
            vector.values()
                    .write(NdArray.of(GradientSeries.gradients(SIZE, 3), SIZE).to(DType.FLOAT32));
            average.update();
            double[] own = GradientSeries.valuesOf(vector);
            double[] averaged = averageOf(average);
            try (var swap = average.swapIn()) {
                assertThat(GradientSeries.valuesOf(vector)).isEqualTo(averaged).isNotEqualTo(own);
                assertThatThrownBy(average::update)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("swap");
                assertThatThrownBy(average::state)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("swap");
                swap.close();
                assertThat(GradientSeries.valuesOf(vector)).isEqualTo(own);
            }
            assertThat(GradientSeries.valuesOf(vector)).isEqualTo(own);
            assertThat(averageOf(average)).isEqualTo(averaged);
        }
    }

    @Test
    void restoredGoesOnToTheSameBits() {
        try (FlatVector vector = GradientSeries.vector(SIZE, DType.FLOAT32);
                MovingAverage straight = MovingAverage.withWarmup(vector, 0.99);
                MovingAverage restored = MovingAverage.withWarmup(vector, 0.99)) {
            advance(vector, 0, 7, straight);
            Map<String, NdArray> saved = new LinkedHashMap<>();
            try (Scope scope = Scope.open()) {
                straight.state().forEach((name, tensor) -> saved.put(name, tensor.toArray()));
            }
            restored.state().forEach((name, tensor) -> tensor.write(saved.get(name)));
            advance(vector, 7, 14, straight, restored);
            assertThat(averageOf(restored)).isEqualTo(averageOf(straight));
        }
    }

    @Test
    void aPartAveragesOnlyThatPart() {
        try (FlatVector vector = GradientSeries.vector(SIZE, DType.FLOAT64);
                MovingAverage part = MovingAverage.of(vector, new Range(5, 3), 0.5)) {
            advance(vector, 0, 1, part);
            assertThat(averageOf(part)).hasSize(3);
            double[] before = GradientSeries.valuesOf(vector);
            try (var swap = part.swapIn()) {
                double[] after = GradientSeries.valuesOf(vector);
                for (int i = 0; i < SIZE; i++) {
                    assertThat(after[i] == before[i]).isEqualTo(i < 5 || i >= 8);
                }
            }
        }
    }

    @Test
    void refusesADecayOfOne() {
        try (FlatVector vector = GradientSeries.vector(SIZE, DType.FLOAT32)) {
            assertThatThrownBy(() -> MovingAverage.of(vector, 1))
                    .hasMessage("movingAverage: decay must be below 1, received 1");
        }
    }

    private static void advance(FlatVector vector, int from, int to, MovingAverage... averages) {
        for (int step = from; step < to; step++) {
            vector.values()
                    .write(NdArray.of(GradientSeries.gradients(SIZE, step), SIZE)
                            .to(vector.type()));
            for (MovingAverage average : averages) {
                average.update();
            }
        }
    }

    private static double[] averageOf(MovingAverage average) {
        try (Scope scope = Scope.open()) {
            return average.state().get("average").toArray().to(DType.FLOAT64).doubles();
        }
    }
}
