package dev.tutti.tensor.vector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.tensor.Device;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.TensorException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FlatVectorTest {
    private FlatVector vector;
    private Scope scope;

    @BeforeEach
    void open() {
        vector = new FlatVector(30, DType.FLOAT32, Device.CPU);
        scope = Scope.open();
    }

    @AfterEach
    void close() {
        scope.close();
        vector.close();
    }

    @Test
    void parametersAreViewsOfValuesAndGradients() {
        Tensor weight = vector.parameter(new Range(4, 6), Shape.of(2, 3), ParameterLayout.PLAIN);
        vector.values(new Range(4, 6)).fill_(2);
        assertThat(weight.sum().item()).isEqualTo(12);
        weight.square().sum().backward();
        assertThat(vector.gradients(new Range(4, 6)).toArray().floats()).containsOnly(4);
        assertThat(vector.gradients().sum().item()).isEqualTo(24);
        weight.square().sum().backward();
        assertThat(vector.gradients().sum().item())
                .as("gradients add up in place")
                .isEqualTo(48);
        vector.zeroGradients();
        assertThat(vector.gradients().sum().item()).isZero();
        weight.sum().backward();
        assertThat(vector.gradients().sum().item())
                .as("the views survive zeroing")
                .isEqualTo(6);
    }

    @Test
    void backwardPassesWriteWhereTheyAreTold() {
        Tensor weight = vector.parameter(new Range(4, 6), Shape.of(2, 3), ParameterLayout.PLAIN);
        Tensor kernel = vector.parameter(new Range(10, 16), Shape.of(2, 2, 2, 2), ParameterLayout.CHANNELS_LAST);
        Tensor loss = weight.sum().add(kernel.square().sum());
        vector.values().fill_(3);
        Tensor elsewhere = Tensor.full(Shape.of(30), 7, DType.FLOAT32);
        vector.writeGradientsTo(elsewhere);
        vector.record().backward(loss, false, GradientListener.NONE);
        float[] written = new float[30];
        java.util.Arrays.fill(written, 4, 10, 1);
        java.util.Arrays.fill(written, 10, 26, 6);
        assertThat(elsewhere.toArray().floats()).containsExactly(written);
        assertThat(vector.gradients().sum().item()).as("left alone").isZero();
        vector.writeGradientsTo(null);
        vector.record().backward(weight.sum(), true, GradientListener.NONE);
        assertThat(vector.gradients().sum().item())
                .as("what was written moves along")
                .isEqualTo(6 + 6 + 16 * 6);
        assertThat(elsewhere.toArray().floats()).as("and is not touched again").containsExactly(written);
        assertThatThrownBy(() -> vector.writeGradientsTo(Tensor.zeros(Shape.of(29), DType.FLOAT32)))
                .hasMessageContaining("expected memory for 30 gradients, received 29");
    }

    @Test
    void largeGradientsGoThereToo() {
        long size = LargeGradient.LEAST;
        try (FlatVector long_ = new FlatVector(size + 8, DType.FLOAT32, Device.CPU)) {
            Tensor weight = long_.parameter(new Range(8, size), Shape.of(size / 64, 64), ParameterLayout.PLAIN);
            Tensor elsewhere = Tensor.full(Shape.of(size + 8), 7, DType.FLOAT32);
            Tensor x = Tensor.full(Shape.of(4, 64), 1, DType.FLOAT32);
            for (boolean cut : new boolean[] {false, true}) {
                long_.writeGradientsTo(elsewhere);
                GradientTape tape = long_.record();
                Tensor y = cut
                        ? tape.product(x, weight, null, false, DType.FLOAT32).orElseThrow()
                        : x.matmul(weight.transpose(0, 1));
                tape.backward(y.sum(), false, GradientListener.NONE);
                assertThat(elsewhere.sum().item()).isEqualTo(4.0 * size);
                assertThat(long_.gradients().sum().item()).isZero();
                long_.writeGradientsTo(null);
                long_.zeroGradients();
                elsewhere.fill_(7);
            }
        }
    }

    @Test
    void channelsLastIsALayoutAndNotAnOrder() {
        Range range = new Range(0, 24);
        Shape shape = Shape.of(2, 3, 2, 2);
        Tensor weight = vector.parameter(range, shape, ParameterLayout.CHANNELS_LAST);
        assertThat(weight.shape()).isEqualTo(shape);
        float[] counting = new float[24];
        for (int i = 0; i < 24; i++) {
            counting[i] = i;
        }
        NdArray array = NdArray.of(counting, 2, 3, 2, 2);
        vector.view(range, shape, ParameterLayout.CHANNELS_LAST).write(array);
        assertThat(weight.toArray()).isEqualTo(array);
        assertThat(vector.values(new Range(0, 3)).toArray().floats()).containsExactly(0, 4, 8);
        weight.mul(Tensor.of(array)).sum().backward();
        assertThat(vector.gradients(new Range(0, 3)).toArray().floats()).containsExactly(0, 4, 8);
        assertThatThrownBy(() -> vector.parameter(new Range(0, 6), Shape.of(2, 3), ParameterLayout.CHANNELS_LAST))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("channels last is a layout of four axes: received [2, 3]");
    }

    @Test
    void sharedValuesHaveGradientsOfTheirOwn() {
        try (FlatVector other = vector.sharingValues()) {
            vector.values().fill_(3);
            assertThat(other.values().sum().item()).isEqualTo(90);
            other.values().fill_(1);
            assertThat(vector.values().sum().item()).isEqualTo(30);
            other.parameter(other.all(), Shape.of(30), ParameterLayout.PLAIN)
                    .sum()
                    .backward();
            assertThat(other.gradients().sum().item()).isEqualTo(30);
            assertThat(vector.gradients().sum().item()).isZero();
        }
        assertThat(vector.values().sum().item())
                .as("the memory outlives one of two owners")
                .isEqualTo(30);
    }

    @Test
    void theOwnerMayGoFirst() {
        scope.close(); // a scope would own the memory as well
        FlatVector first = new FlatVector(4, DType.FLOAT64, Device.CPU);
        FlatVector second = first.sharingValues();
        first.values().fill_(2);
        first.close();
        first.close();
        assertThat(second.values().sum().item()).isEqualTo(8);
        second.close();
        assertThatThrownBy(() -> second.values().sum()).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void rangesOutsideAreRefused() {
        assertThatThrownBy(() -> vector.values(new Range(28, 5)))
                .isInstanceOf(TensorException.class)
                .hasMessageContaining("exceeds dimension size (30)");
        assertThatThrownBy(() -> vector.view(new Range(0, 6), Shape.of(2, 4), ParameterLayout.PLAIN))
                .isInstanceOf(TensorException.class);
        assertThatThrownBy(() -> new Range(-1, 3)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aVectorWithoutElementsIsFine() {
        try (FlatVector none = new FlatVector(0, DType.FLOAT32, Device.CPU)) {
            none.zeroGradients();
            assertThat(none.values().toArray().size()).isZero();
            assertThat(none.all().isEmpty()).isTrue();
        }
    }

    @Test
    void rangesAreCutIntoNearlyEqualParts() {
        Range all = new Range(10, 11);
        assertThat(all.part(0, 3)).isEqualTo(new Range(10, 4));
        assertThat(all.part(1, 3)).isEqualTo(new Range(14, 4));
        assertThat(all.part(2, 3)).isEqualTo(new Range(18, 3));
        assertThat(all.intersect(new Range(0, 12))).isEqualTo(new Range(10, 2));
        assertThat(all.intersect(new Range(40, 2)).isEmpty()).isTrue();
        assertThat(all.contains(new Range(12, 9))).isTrue();
        assertThat(all.contains(new Range(12, 10))).isFalse();
    }
}
