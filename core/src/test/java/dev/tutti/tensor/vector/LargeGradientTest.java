package dev.tutti.tensor.vector;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.array.DType;
import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.tensor.Device;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Randomness;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import org.junit.jupiter.api.Test;

/** Gradients that are taken over from the engine equal those that were added up in the vector. */
class LargeGradientTest {
    private static final int ROWS = 300;
    private static final int COLUMNS = 256;
    private static final long BIG = (long) ROWS * COLUMNS;

    @Test
    void backwardEqualsZeroingAndAccumulating() {
        try (Scope scope = Scope.open();
                FlatVector plain = vector();
                FlatVector fast = vector()) {
            plain.zeroGradients();
            loss(plain, 1).backward();
            fast.gradients().fill_(7); // left over from an earlier step
            fast.record().backward(loss(fast, 1), false, GradientListener.NONE);
            assertThat(fast.gradients().toArray()).isEqualTo(plain.gradients().toArray());

            loss(plain, 2).backward();
            fast.record().backward(loss(fast, 2), true, GradientListener.NONE);
            assertThat(fast.gradients().toArray()).isEqualTo(plain.gradients().toArray());

            loss(plain, 3).backward();
            loss(fast, 3).backward();
            assertThat(fast.gradients().toArray())
                    .as("afterwards parameters accumulate into the vector as ever")
                    .isEqualTo(plain.gradients().toArray());
        }
    }

    @Test
    void aParameterThatTookNoPartHasNoGradient() {
        try (Scope scope = Scope.open();
                FlatVector vector = new FlatVector(BIG + 3, DType.FLOAT64, Device.CPU)) {
            vector.parameter(new Range(0, BIG), Shape.of(ROWS, COLUMNS), ParameterLayout.PLAIN)
                    .retain();
            Tensor small = vector.parameter(new Range(BIG, 3), Shape.of(3), ParameterLayout.PLAIN);
            vector.gradients().fill_(5);
            vector.record().backward(small.sum(), false, GradientListener.NONE);
            assertThat(vector.gradients(new Range(0, BIG)).norm().item()).isZero();
            assertThat(vector.gradients(new Range(BIG, 3)).toArray().doubles()).containsOnly(1);
        }
    }

    private static FlatVector vector() {
        FlatVector vector = new FlatVector(3 + BIG + COLUMNS, DType.FLOAT64, Device.CPU);
        try (NoGradients off = NoGradients.begin();
                Randomness random = new Randomness(1)) {
            random.normal_(vector.values(), 0, 1);
        }
        return vector;
    }

    private static Tensor loss(FlatVector vector, double factor) {
        Tensor head = vector.parameter(new Range(0, 3), Shape.of(3), ParameterLayout.PLAIN);
        Tensor big = vector.parameter(new Range(3, BIG), Shape.of(ROWS, COLUMNS), ParameterLayout.PLAIN);
        Tensor tail = vector.parameter(new Range(3 + BIG, COLUMNS), Shape.of(COLUMNS), ParameterLayout.PLAIN);
        return big.matmul(tail).square().sum().mul(factor).add(head.sum());
    }
}
