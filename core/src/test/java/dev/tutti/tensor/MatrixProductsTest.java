package dev.tutti.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.array.DType;
import dev.tutti.array.Shape;
import dev.tutti.tensor.onednn.OneDnn;
import dev.tutti.tensor.onednn.OneDnnMatrixProducts;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BiFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every way to make a dense layer's products gives what sums written out give. */
class MatrixProductsTest {
    private static final int INPUTS = 37;
    private static final int OUTPUTS = 70;
    private static final List<Integer> ROWS = List.of(1, 5, 64, 200);

    private record Way(String name, BiFunction<Tensor, Tensor, MatrixProducts> maker) {
        @Override
        public String toString() {
            return name;
        }
    }

    static List<Way> ways() {
        List<Way> ways = new ArrayList<>(List.of(new Way("engine", EngineMatrixProducts::new)));
        if (OneDnn.isUsable()) {
            ways.add(new Way("oneDNN", OneDnnMatrixProducts::new));
        }
        return ways;
    }

    @AfterEach
    void useAllCoresAgain() {
        Engine.useThreads(Engine.cores());
    }

    @ParameterizedTest
    @MethodSource("ways")
    void forwardMultipliesAndAddsTheBias(Way way) {
        each(way, (products, layer) -> {
            Tensor plain = products.forward(layer.x, null);
            Tensor biased = products.forward(layer.x, layer.bias);
            double[][] expected = product(layer.rows, OUTPUTS, INPUTS, (i, j, k) -> layer.x(i, k) * layer.weight(j, k));
            layer.compare(plain, expected);
            for (double[] row : expected) {
                for (int j = 0; j < OUTPUTS; j++) {
                    row[j] += layer.biases[j];
                }
            }
            layer.compare(biased, expected);
        });
    }

    @ParameterizedTest
    @MethodSource("ways")
    void theInputHearsOfTheResult(Way way) {
        each(
                way,
                (products, layer) -> layer.compare(
                        products.toInput(layer.above),
                        product(layer.rows, INPUTS, OUTPUTS, (i, j, k) -> layer.above(i, k) * layer.weight(k, j))));
    }

    @ParameterizedTest
    @MethodSource("ways")
    void theWeightsGradientIsWrittenOrAdded(Way way) {
        each(way, (products, layer) -> {
            double[][] expected = product(OUTPUTS, INPUTS, layer.rows, (i, j, k) -> layer.above(k, i) * layer.x(k, j));
            layer.gradient.fill_(100); // left over from an earlier step
            products.toWeight(layer.above, layer.x, false);
            layer.compare(layer.gradient, expected);
            products.toWeight(layer.above, layer.x, true);
            for (double[] row : expected) {
                for (int j = 0; j < INPUTS; j++) {
                    row[j] *= 2;
                }
            }
            layer.compare(layer.gradient, expected);
        });
    }

    @ParameterizedTest
    @MethodSource("ways")
    void factorsMayLieInAnotherOrder(Way way) {
        try (Scope scope = Scope.open();
                Layer layer = new Layer(5);
                MatrixProducts products = way.maker.apply(layer.weight, layer.gradient)) {
            Tensor turned = layer.x.transpose(0, 1).contiguous().transpose(0, 1);
            assertThat(turned.isContiguous()).isFalse();
            layer.compare(
                    products.forward(turned, null),
                    product(layer.rows, OUTPUTS, INPUTS, (i, j, k) -> layer.x(i, k) * layer.weight(j, k)));
        }
    }

    /** With addresses alone it would be read past its end. */
    @ParameterizedTest
    @MethodSource("ways")
    void whatDoesNotFitIsRefused(Way way) {
        try (Scope scope = Scope.open();
                Layer layer = new Layer(5);
                MatrixProducts products = way.maker.apply(layer.weight, layer.gradient)) {
            Tensor narrow = layer.x.narrow(1, 0, INPUTS - 1);
            Tensor doubles = layer.x.to(DType.FLOAT64);
            Tensor fewer = layer.x.narrow(0, 0, 4);
            assertThatThrownBy(() -> products.forward(narrow, null)).isInstanceOf(TensorException.class);
            assertThatThrownBy(() -> products.forward(doubles, null)).isInstanceOf(TensorException.class);
            assertThatThrownBy(() -> products.toInput(narrow)).isInstanceOf(TensorException.class);
            assertThatThrownBy(() -> products.toWeight(layer.above, fewer, false))
                    .isInstanceOf(TensorException.class);
            assertThatThrownBy(() -> products.toWeight(layer.above, doubles, true))
                    .isInstanceOf(TensorException.class);
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void whatIsNotANumberStaysSo(Way way) {
        try (Scope scope = Scope.open();
                Layer layer = new Layer(5);
                MatrixProducts products = way.maker.apply(layer.weight, layer.gradient)) {
            layer.x.narrow(0, 2, 1).fill_(Double.NaN);
            float[] result = products.forward(layer.x, layer.bias).toArray().floats();
            assertThat(result[2 * OUTPUTS]).isNaN();
            assertThat(result[0]).isNotNaN();
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void manyNumbersOfRowsFollowEachOther(Way way) {
        try (Scope scope = Scope.open();
                Layer layer = new Layer(60);
                MatrixProducts products = way.maker.apply(layer.weight, layer.gradient)) {
            for (int turn = 0; turn < 2; turn++) {
                for (int rows = 0; rows <= 60; rows++) {
                    Tensor some = products.forward(layer.x.narrow(0, 0, rows), layer.bias);
                    assertThat(some.shape()).isEqualTo(Shape.of(rows, OUTPUTS));
                }
            }
            products.toWeight(layer.above.narrow(0, 0, 0), layer.x.narrow(0, 0, 0), false);
            assertThat(layer.gradient.norm().item()).as("no rows, no gradient").isZero();
        }
    }

    @Test
    void onlyPlainMatricesOfTheProcessorAreNotTheEngines() {
        try (Scope scope = Scope.open()) {
            Tensor doubles = Tensor.zeros(Shape.of(4, 4), DType.FLOAT64, Device.CPU);
            assertThat(MatrixProducts.of(doubles, doubles)).isInstanceOf(EngineMatrixProducts.class);
            Tensor kernel = Tensor.zeros(Shape.of(4, 4, 3, 3), DType.FLOAT32, Device.CPU);
            assertThat(MatrixProducts.of(kernel, kernel)).isInstanceOf(EngineMatrixProducts.class);
        }
    }

    private interface Check {
        void on(MatrixProducts products, Layer layer);
    }

    private static void each(Way way, Check check) {
        for (int threads : List.of(1, 2)) {
            Engine.useThreads(threads);
            for (int rows : ROWS) {
                try (Scope scope = Scope.open();
                        Layer layer = new Layer(rows);
                        MatrixProducts products = way.maker.apply(layer.weight, layer.gradient)) {
                    check.on(products, layer);
                    check.on(products, layer); // once more: what was made ready is used again
                }
            }
        }
    }

    private interface Term {
        double of(int row, int column, int k);
    }

    private static double[][] product(int rows, int columns, int depth, Term term) {
        double[][] out = new double[rows][columns];
        for (int i = 0; i < rows; i++) {
            for (int j = 0; j < columns; j++) {
                for (int k = 0; k < depth; k++) {
                    out[i][j] += term.of(i, j, k);
                }
            }
        }
        return out;
    }

    /** Random factors, as tensors and as arrays. */
    private static final class Layer implements AutoCloseable {
        private final int rows;
        private final Random random = new Random(7);
        private final float[] xs;
        private final float[] weights = random(OUTPUTS * INPUTS);
        private final float[] biases = random(OUTPUTS);
        private final float[] aboves;
        private final Tensor x;
        private final Tensor weight = Tensor.of(weights, OUTPUTS, INPUTS);
        private final Tensor bias = Tensor.of(biases, OUTPUTS);
        private final Tensor above;
        private final Tensor gradient = Tensor.zeros(Shape.of(OUTPUTS, INPUTS), DType.FLOAT32, Device.CPU);

        Layer(int rows) {
            this.rows = rows;
            xs = random(rows * INPUTS);
            aboves = random(rows * OUTPUTS);
            x = Tensor.of(xs, rows, INPUTS);
            above = Tensor.of(aboves, rows, OUTPUTS);
        }

        private float[] random(int count) {
            float[] out = new float[count];
            for (int i = 0; i < count; i++) {
                out[i] = random.nextFloat() - 0.5f;
            }
            return out;
        }

        double x(int row, int column) {
            return xs[row * INPUTS + column];
        }

        double weight(int row, int column) {
            return weights[row * INPUTS + column];
        }

        double above(int row, int column) {
            return aboves[row * OUTPUTS + column];
        }

        void compare(Tensor actual, double[][] expected) {
            float[] values = actual.toArray().floats();
            assertThat(values).hasSize(expected.length * expected[0].length);
            for (int i = 0; i < values.length; i++) {
                assertThat((double) values[i])
                        .as("element %s of %s", i, actual)
                        .isCloseTo(expected[i / expected[0].length][i % expected[0].length], within(1e-4));
            }
        }

        @Override
        public void close() {}
    }
}
