package dev.tutti.nn;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;

/** Turns a random matrix into one whose rows (or columns, where there are fewer) are at right angles and of length one. */
final class OrthogonalMatrix {
    private OrthogonalMatrix() {}

    static NdArray of(NdArray random) {
        int rows = (int) random.shape().dim(0);
        int columns = random.size() / rows;
        boolean wide = rows <= columns;
        int count = wide ? rows : columns;
        int length = wide ? columns : rows;
        double[][] vectors = new double[count][length];
        for (int i = 0; i < count; i++) {
            for (int j = 0; j < length; j++) {
                vectors[i][j] = random.at(wide ? i * columns + j : j * columns + i);
            }
            // Twice: what rounding leaves after the first pass is gone after the second.
            for (int pass = 0; pass < 2; pass++) {
                for (int k = 0; k < i; k++) {
                    subtract(vectors[i], vectors[k], dot(vectors[i], vectors[k]));
                }
            }
            double norm = Math.sqrt(dot(vectors[i], vectors[i]));
            for (int j = 0; j < length; j++) {
                vectors[i][j] /= norm;
            }
        }
        double[] out = new double[random.size()];
        for (int i = 0; i < rows; i++) {
            for (int j = 0; j < columns; j++) {
                out[i * columns + j] = wide ? vectors[i][j] : vectors[j][i];
            }
        }
        NdArray matrix = NdArray.of(out, random.shape().toArray());
        return random.type() == DType.FLOAT64 ? matrix : matrix.to(random.type());
    }

    private static double dot(double[] a, double[] b) {
        double sum = 0;
        for (int i = 0; i < a.length; i++) {
            sum += a[i] * b[i];
        }
        return sum;
    }

    private static void subtract(double[] a, double[] b, double factor) {
        for (int i = 0; i < a.length; i++) {
            a[i] -= factor * b[i];
        }
    }
}
