package dev.tutti.tensor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.array.DType;
import dev.tutti.array.Shape;
import org.junit.jupiter.api.Test;

class NoDenormalsTest {
    private static final double SMALLEST_NORMAL = Float.MIN_NORMAL;

    private static double tenthOfTheSmallest() {
        try (Scope scope = Scope.open()) {
            return Tensor.full(Shape.of(64), SMALLEST_NORMAL, DType.FLOAT32)
                    .mul(0.1)
                    .toArray()
                    .at(63);
        }
    }

    @Test
    void areZeroWhileItIsOpenAndThereAgainAfterwards() {
        assertThat(tenthOfTheSmallest()).isPositive();
        try (NoDenormals off = NoDenormals.begin()) {
            assertThat(tenthOfTheSmallest() == 0).isTrue();
        }
        assertThat(tenthOfTheSmallest()).isPositive();
    }
}
