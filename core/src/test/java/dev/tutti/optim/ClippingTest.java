package dev.tutti.optim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import org.junit.jupiter.api.Test;

class ClippingTest {
    @Test
    void scalesOnlyWhatIsTooLong() {
        try (Scope scope = Scope.open()) {
            Tensor gradients = Tensor.of(new double[] {3, -4}, 2);
            assertThat(new Clipping(5, 0).apply(gradients)).isEqualTo(5);
            assertThat(gradients.toArray().doubles()).containsExactly(3, -4);

            assertThat(new Clipping(1, 0).apply(gradients)).isEqualTo(5);
            assertThat(gradients.toArray().doubles()).containsExactly(new double[] {0.6, -0.8}, within(1e-15));
        }
    }

    @Test
    void cutsSingleGradientsBeforeTheirLengthIsMeasured() {
        try (Scope scope = Scope.open()) {
            Tensor gradients = Tensor.of(new double[] {30, -4}, 2);
            assertThat(new Clipping(2.5, 3).apply(gradients)).isCloseTo(Math.sqrt(18), within(1e-12));
            assertThat(gradients.norm().item()).isCloseTo(2.5, within(1e-12));
        }
    }

    @Test
    void partsOfTheVectorAreScaledAsTheWhole() {
        try (Scope scope = Scope.open()) {
            Clipping clipping = new Clipping(1, 0);
            Tensor first = Tensor.of(new double[] {1, 2}, 2);
            Tensor second = Tensor.of(new double[] {-2, 4}, 2);
            double length = Math.sqrt(Clipping.squaredNorm(first) + Clipping.squaredNorm(second));
            clipping.scale(first, length);
            clipping.scale(second, length);
            assertThat(length).isCloseTo(5, within(1e-12));
            assertThat(first.toArray().doubles()).containsExactly(new double[] {0.2, 0.4}, within(1e-15));
            assertThat(second.toArray().doubles()).containsExactly(new double[] {-0.4, 0.8}, within(1e-15));
        }
    }

    @Test
    void aLengthThatIsNotFiniteSpreadsNowhere() {
        try (Scope scope = Scope.open()) {
            Tensor gradients = Tensor.of(new double[] {1, Double.POSITIVE_INFINITY}, 2);
            assertThat(new Clipping(1, 0).apply(gradients)).isInfinite();
            assertThat(gradients.toArray().doubles()).containsExactly(1, Double.POSITIVE_INFINITY);
        }
    }

    @Test
    void offDoesNothing() {
        try (Scope scope = Scope.open()) {
            Tensor gradients = Tensor.of(new double[] {100}, 1);
            assertThat(Clipping.NONE.isOn()).isFalse();
            assertThat(Clipping.NONE.apply(gradients)).isNaN();
            assertThat(gradients.toArray().doubles()).containsExactly(100);
        }
    }
}
