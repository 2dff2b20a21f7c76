package dev.tutti.optim;

import dev.tutti.array.DType;
import dev.tutti.array.NamedRange;
import dev.tutti.array.NdArray;
import dev.tutti.array.Range;
import dev.tutti.tensor.Device;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.vector.FlatVector;
import java.util.List;
import java.util.stream.IntStream;

/** Values to start from and gradients to follow; the same formulas as in optim.py, which makes the golden values. */
final class GradientSeries {
    private GradientSeries() {}

    static double[] values(int size) {
        return IntStream.range(0, size)
                .mapToDouble(i -> Math.cos(0.9 * i) * 0.5)
                .toArray();
    }

    static double[] gradients(int size, int step) {
        return IntStream.range(0, size)
                .mapToDouble(i -> Math.sin(0.7 * i + 1.3 * step) * (1 + i % 3))
                .toArray();
    }

    static FlatVector vector(int size, DType type) {
        FlatVector vector = new FlatVector(size, type, Device.CPU);
        vector.values().write(NdArray.of(values(size), size).to(type));
        return vector;
    }

    static void giveGradients(FlatVector vector, int step) {
        int size = (int) vector.size();
        vector.gradients().write(NdArray.of(gradients(size, step), size).to(vector.type()));
    }

    static double[] valuesOf(FlatVector vector) {
        try (Scope scope = Scope.open()) {
            return vector.values().toArray().to(DType.FLOAT64).doubles();
        }
    }

    /** A weight and, in the last {@code bias} values, a bias. */
    static List<NamedRange> names(int size, int bias) {
        return List.of(
                new NamedRange("dense1.weight", new Range(0, size - bias)),
                new NamedRange("dense1.bias", new Range(size - bias, bias)));
    }
}
