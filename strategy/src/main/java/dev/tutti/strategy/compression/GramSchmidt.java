package dev.tutti.strategy.compression;

import dev.tutti.array.DType;
import dev.tutti.tensor.Tensor;

/**
 * Makes the columns of a narrow matrix orthogonal and of length 1, by Gram and Schmidt.
 *
 * <p>In plain Java, so that every member computes the same bits on any processor; narrow matrices are small.
 */
final class GramSchmidt {
    /** What is left of a column's square when it lay in the span of those before it, but for rounding. */
    private static final double NOTHING = 1e-12;

    private GramSchmidt() {}

    /**
     * Changes the matrix in place.
     *
     * @return for each column whether it pointed anywhere new; those that did not become zeros
     */
    static boolean[] of(Tensor matrix) {
        int rows = Math.toIntExact(matrix.dim(0));
        int columns = Math.toIntExact(matrix.dim(1));
        double[] m = matrix.to(DType.FLOAT64).toArray().doubles();
        boolean[] sound = new boolean[columns];
        for (int c = 0; c < columns; c++) {
            double whole = dot(m, c, c, rows, columns);
            for (int before = 0; before < c; before++) {
                double along = dot(m, before, c, rows, columns);
                for (int r = 0; r < rows; r++) {
                    m[r * columns + c] -= along * m[r * columns + before];
                }
            }
            double left = dot(m, c, c, rows, columns);
            sound[c] = !(left <= whole * NOTHING); // NaN goes on, for those who watch out for it
            double length = Math.sqrt(left);
            for (int r = 0; r < rows; r++) {
                m[r * columns + c] = sound[c] ? m[r * columns + c] / length : 0;
            }
        }
        matrix.copy_(Tensor.of(m, rows, columns));
        return sound;
    }

    private static double dot(double[] m, int a, int b, int rows, int columns) {
        double sum = 0;
        for (int r = 0; r < rows; r++) {
            sum += m[r * columns + a] * m[r * columns + b];
        }
        return sum;
    }
}
