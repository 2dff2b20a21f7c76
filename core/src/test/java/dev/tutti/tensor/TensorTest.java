package dev.tutti.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class TensorTest {
    private Scope scope;

    @BeforeEach
    void open() {
        scope = Scope.open();
    }

    @AfterEach
    void close() {
        scope.close();
    }

    private static NdArray counting(DType type, long... shape) {
        int size = (int) Shape.of(shape).size();
        double[] values = new double[size];
        for (int i = 0; i < size; i++) {
            values[i] = type == DType.UINT8 ? 250 - i : i - 2;
        }
        return NdArray.of(values, shape).to(type);
    }

    @ParameterizedTest
    @EnumSource(names = {"FLOAT16", "BFLOAT16"})
    void shortFloatsAreForTensorsAlone(DType type) {
        try (Scope scope = Scope.open()) {
            Tensor brief = Tensor.of(new float[] {1, 2.5f, -3}, 3).to(type);
            assertThat(brief.type()).isEqualTo(type);
            assertThat(brief.add(brief).to(DType.FLOAT32).toArray().floats()).containsExactly(2, 5, -6);
            assertThatThrownBy(brief::toArray)
                    .isInstanceOf(TensorException.class)
                    .hasMessageContaining("to(FLOAT32)");
            assertThatThrownBy(() -> NdArray.zeros(type, Shape.of(2))).hasMessageContaining("no arrays of it");
            assertThatThrownBy(() -> DType.named(type.toString())).hasMessageContaining("unknown element type");
        }
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"FLOAT16", "BFLOAT16"})
    void everyTypeGoesInAndComesOut(DType type) {
        NdArray array = counting(type, 2, 3, 4);
        Tensor tensor = Tensor.of(array);
        assertThat(tensor.type()).isEqualTo(type);
        assertThat(tensor.shape()).isEqualTo(Shape.of(2, 3, 4));
        assertThat(tensor.toArray()).isEqualTo(array);
        assertThat(Tensor.zeros(Shape.of(2, 3, 4), type).toArray()).isEqualTo(NdArray.zeros(type, Shape.of(2, 3, 4)));
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"FLOAT16", "BFLOAT16"})
    void emptyAndSingleElementsAreFine(DType type) {
        NdArray none = NdArray.zeros(type, Shape.of(0, 3));
        assertThat(Tensor.of(none).toArray()).isEqualTo(none);
        NdArray one = counting(type, 1).reshape();
        assertThat(Tensor.of(one).toArray()).isEqualTo(one);
        assertThat(Tensor.of(one).rank()).isZero();
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"FLOAT16", "BFLOAT16"})
    void aTransposedTensorIsReadInTheOrderOfItsShape(DType type) {
        NdArray array = counting(type, 2, 3);
        NdArray transposed = Tensor.of(array).transpose(0, 1).toArray();
        assertThat(transposed.shape()).isEqualTo(Shape.of(3, 2));
        for (int row = 0; row < 3; row++) {
            for (int column = 0; column < 2; column++) {
                assertThat(transposed.at(row * 2 + column)).isEqualTo(array.at(column * 3 + row));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"FLOAT16", "BFLOAT16"})
    void aViewWithAnotherLayoutIsWrittenInTheOrderOfItsShape(DType type) {
        Tensor memory = Tensor.zeros(Shape.of(2, 4, 5, 3), type);
        Tensor view = memory.permute(0, 3, 1, 2);
        NdArray array = counting(type, 2, 3, 4, 5);
        view.write(array);
        assertThat(view.toArray()).isEqualTo(array);
        assertThat(memory.permute(0, 3, 1, 2).toArray()).isEqualTo(array);
        assertThat(memory.toArray().at(1)).isEqualTo(array.at(20)); // the second channel lies next to the first
    }

    @Test
    void aStretchOfATensorIsWrittenInPlace() {
        Tensor memory = Tensor.zeros(Shape.of(5), DType.FLOAT32);
        memory.narrow(0, 1, 3).write(NdArray.of(new float[] {1, 2, 3}, 3));
        assertThat(memory.toArray().floats()).containsExactly(0, 1, 2, 3, 0);
        assertThat(memory.narrow(0, 2, 2).toArray().floats()).containsExactly(2, 3);
    }

    @Test
    void aWriteThatDoesNotFitIsRefused() {
        Tensor tensor = Tensor.zeros(Shape.of(2, 3), DType.FLOAT32);
        assertThatThrownBy(() -> tensor.write(NdArray.of(new float[6], 3, 2)))
                .isInstanceOf(TensorException.class)
                .hasMessage("write: expected float32[2, 3], received float32[3, 2]");
        assertThatThrownBy(() -> tensor.write(NdArray.of(new double[6], 2, 3)))
                .hasMessage("write: expected float32[2, 3], received float64[2, 3]");
    }

    record Wrong(String message, Runnable call) {
        @Override
        public String toString() {
            return message;
        }
    }

    private static Tensor zeros(long... shape) {
        return Tensor.zeros(Shape.of(shape), DType.FLOAT32);
    }

    static Stream<Wrong> wrongCalls() {
        Functions.Window window = new Functions.Window(new long[] {1, 1}, new long[] {0, 0}, new long[] {1, 1});
        return Stream.of(
                new Wrong(
                        "matmul: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)",
                        () -> zeros(2, 3).matmul(zeros(2, 3))),
                new Wrong(
                        "linear: mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)",
                        () -> Functions.linear(zeros(2, 3), zeros(5, 4), null)),
                new Wrong(
                        "add: The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1",
                        () -> zeros(2, 3).add(zeros(2, 4))),
                new Wrong(
                        "view: shape '[4, 2]' is invalid for input of size 6",
                        () -> zeros(2, 3).view(4, 2)),
                new Wrong(
                        "narrow: start (1) + length (5) exceeds dimension size (2).",
                        () -> zeros(2, 3).narrow(0, 1, 5)),
                new Wrong(
                        "select: select(): index 7 out of range for tensor of size [2, 3] at dimension 0",
                        () -> zeros(2, 3).select(0, 7)),
                new Wrong(
                        "dim: Dimension out of range (expected to be in range of [-2, 1], but got 5)",
                        () -> zeros(2, 3).dim(5)),
                new Wrong(
                        "conv2d: Given groups=1, weight of size [4, 3, 3, 3], expected input[1, 2, 8, 8] to have 3 channels, but "
                                + "got 2 channels instead",
                        () -> Functions.conv2d(zeros(1, 2, 8, 8), zeros(4, 3, 3, 3), null, window, 1)),
                new Wrong(
                        "embedding: index out of range in self",
                        () -> Functions.embedding(Tensor.of(new long[] {9}, 1), zeros(3, 2), -1)),
                new Wrong(
                        "backward: grad can be implicitly created only for scalar outputs",
                        () -> zeros(2).requiresGradient(true).mul(2).backward()),
                new Wrong(
                        "backward: element 0 of tensors does not require grad and does not have a grad_fn",
                        () -> zeros(2).sum().backward()),
                new Wrong(
                        "requiresGradient: Only Tensors of floating point and complex dtype can require gradients",
                        () -> Tensor.of(new long[] {1}, 1).requiresGradient(true)));
    }

    @ParameterizedTest
    @MethodSource("wrongCalls")
    void whatTheEngineRefusesIsOneReadableSentence(Wrong wrong) {
        try (Scope inner = Scope.open()) {
            assertThatThrownBy(wrong.call()::run)
                    .isInstanceOf(TensorException.class)
                    .hasMessage(wrong.message());
        }
    }

    @Test
    void aSecondBackwardThroughFreedMemoryIsAnException() {
        Tensor x = zeros(3).requiresGradient(true);
        Tensor loss = x.square().exp().sum();
        loss.backward();
        assertThatThrownBy(loss::backward)
                .isInstanceOf(TensorException.class)
                .hasMessageStartingWith("backward: Trying to backward through the graph a second time");
    }

    @Test
    void askingForMoreMemoryThanThereIsIsAnException() {
        assertThatThrownBy(() -> zeros(1L << 50))
                .isInstanceOf(TensorException.class)
                .hasMessageContaining("memory");
    }

    @Test
    void gradientsAddUp() {
        Tensor x = Tensor.of(new double[] {1, 2}, 2).requiresGradient(true);
        assertThat(x.gradient()).isEmpty();
        x.square().sum().backward();
        x.square().sum().backward();
        assertThat(x.gradient().orElseThrow().toArray().doubles()).containsExactly(4, 8);
        try (NoGradients off = NoGradients.begin()) {
            Tensor y = x.sum();
            assertThatThrownBy(y::backward).isInstanceOf(TensorException.class);
        }
    }

    @Test
    void noGradientsHoldsWhileScopesComeAndGo() {
        Tensor x = zeros(2).requiresGradient(true);
        try (NoGradients off = NoGradients.begin()) {
            try (Scope inner = Scope.open()) {
                x.sum();
            }
            Tensor y = x.sum();
            assertThatThrownBy(y::backward).isInstanceOf(TensorException.class);
        }
        x.sum().backward();
        assertThat(x.gradient().orElseThrow().toArray().floats()).containsExactly(1, 1);
    }

    @Test
    void aMissingTensorIsNotTakenForAClosedOne() {
        Tensor x = zeros(2);
        assertThatThrownBy(() -> x.add((Tensor) null)).isInstanceOf(NullPointerException.class);
    }

    @Test
    void shapesMoveAsTheirNamesSay() {
        Tensor x = Tensor.of(counting(DType.FLOAT32, 2, 12));
        assertThat(x.unflatten(-1, 3, -1).shape()).isEqualTo(Shape.of(2, 3, 4));
        assertThat(x.unflatten(1, 3, 4).flatten(1).toArray()).isEqualTo(x.toArray());
        assertThat(x.unsqueeze(0).squeeze(0).shape()).isEqualTo(x.shape());
        assertThat(x.max(0, 1).item()).isEqualTo(21);
        assertThat(x.max(1).toArray().floats()).containsExactly(9, 21);
        assertThat(x.argmax(1).toArray().longs()).containsExactly(11, 11);
        assertThat(Tensor.concat(List.of(x, x), 0).shape()).isEqualTo(Shape.of(4, 12));
        assertThat(Tensor.stack(List.of(x, x), 0).shape()).isEqualTo(Shape.of(2, 2, 12));
        assertThat(Tensor.range(2, 5).toArray().longs()).containsExactly(2, 3, 4);
    }

    @Test
    void attentionWithChanceEqualsAttentionWhenTheChanceIsNone() {
        try (Randomness random = new Randomness(3)) {
            Tensor q = zeros(2, 2, 5, 3);
            Tensor k = zeros(2, 2, 5, 3);
            Tensor v = zeros(2, 2, 5, 3);
            List.of(q, k, v).forEach(tensor -> random.normal_(tensor, 0, 1));
            for (boolean causal : new boolean[] {false, true}) {
                Tensor fast = Functions.attention(q, k, v, causal);
                Tensor plain = Functions.attention(q, k, v, causal, 0, random);
                assertThat(fast.sub(plain).abs().max(0, 1, 2, 3).item()).isLessThan(1e-6);
            }
        }
    }

    @Test
    void randomNumbersDependOnTheirKeysAlone() {
        try (Randomness a = new Randomness(1);
                Randomness b = new Randomness(2)) {
            assertThat(draw(a, 5, 7)).isEqualTo(draw(b, 5, 7)).isNotEqualTo(draw(a, 7, 5));
        }
    }

    private static NdArray draw(Randomness random, long... keys) {
        random.restart(keys);
        Tensor tensor = zeros(100);
        random.uniform_(tensor, 0, 1);
        return tensor.toArray();
    }

    @Test
    void someRowsOfAnArrayAreCopied() {
        List<NdArray> arrays = List.of(
                NdArray.of(new float[] {0, 1, 2, 3, 4, 5}, 3, 2),
                NdArray.of(new double[] {0, 1, 2, 3, 4, 5}, 3, 2),
                NdArray.of(new long[] {0, 1, 2, 3, 4, 5}, 3, 2),
                NdArray.of(new int[] {0, 1, 2, 3, 4, 5}, 3, 2),
                NdArray.of(new byte[] {0, 1, 2, 3, 4, 5}, 3, 2),
                NdArray.of(new boolean[] {false, true, true, false, false, true}, 3, 2),
                NdArray.of(new long[] {7, 8, 9}, 3));
        try (Scope scope = Scope.open()) {
            for (NdArray array : arrays) {
                for (int from = 0; from <= 3; from++) {
                    for (int to = from; to <= 3; to++) {
                        Tensor rows = Tensor.of(array, Range.between(from, to), Device.CPU);
                        assertThat(rows.toArray()).isEqualTo(array.rows(from, to));
                    }
                }
            }
            assertThatThrownBy(() -> Tensor.of(arrays.get(0), Range.between(2, 4), Device.CPU))
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
    }
}
