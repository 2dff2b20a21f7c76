package dev.tutti.strategy.compression;

import dev.tutti.nn.Model;
import dev.tutti.nn.Parameter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;

/** The power method in doubles and loops: P = M Q, orthogonal; Q = M' P; the sum is P Q'. */
final class PowerSgdTwin implements Twin {
    private final Model model;
    private final int rank;
    private final Map<String, double[][]> rights = new LinkedHashMap<>();
    private double[][] residuals;

    PowerSgdTwin(Model model, int rank) {
        this.model = model;
        this.rank = rank;
        Random random = new Random(0);
        for (Parameter p : model.parameters()) {
            if (isMatrix(p)) {
                double[][] right = new double[columns(p)][rank];
                for (double[] row : right) {
                    for (int c = 0; c < rank; c++) {
                        row[c] = random.nextGaussian();
                    }
                }
                rights.put(p.name(), right);
            }
        }
    }

    private boolean isMatrix(Parameter p) {
        return p.shape().rank() > 1
                && rank * (p.shape().dim(0) + columns(p)) < p.range().length();
    }

    private static int columns(Parameter p) {
        return (int) (p.range().length() / p.shape().dim(0));
    }

    @Override
    public float[] sum(float[][] gradients) {
        int size = gradients[0].length;
        if (residuals == null) {
            residuals = new double[gradients.length][size];
        }
        float[] out = new float[size];
        for (Parameter p : model.parameters()) {
            int from = (int) p.range().from();
            if (!isMatrix(p)) {
                for (int i = from; i < p.range().to(); i++) {
                    for (float[] member : gradients) {
                        out[i] += member[i];
                    }
                }
                continue;
            }
            int rows = (int) p.shape().dim(0);
            int columns = columns(p);
            double[][][] matrices = new double[gradients.length][rows][columns];
            for (int m = 0; m < gradients.length; m++) {
                for (int i = 0; i < rows * columns; i++) {
                    matrices[m][i / columns][i % columns] = residuals[m][from + i] + gradients[m][from + i];
                }
            }
            double[][] sum = approximate(matrices, p.name(), from);
            for (int i = 0; i < rows * columns; i++) {
                out[from + i] = (float) sum[i / columns][i % columns];
            }
        }
        return out;
    }

    private double[][] approximate(double[][][] matrices, String name, int from) {
        int rows = matrices[0].length;
        int columns = matrices[0][0].length;
        double[][] left = new double[rows][rank];
        for (double[][] matrix : matrices) {
            add(left, product(matrix, rights.get(name)));
        }
        orthogonalise(left);
        double[][] right = new double[columns][rank];
        for (int m = 0; m < matrices.length; m++) {
            double[][] own = product(transposed(matrices[m]), left);
            add(right, own);
            double[][] sent = product(left, transposed(own));
            for (int i = 0; i < rows * columns; i++) {
                residuals[m][from + i] = matrices[m][i / columns][i % columns] - sent[i / columns][i % columns];
            }
        }
        rights.put(name, right);
        return product(left, transposed(right));
    }

    private static void orthogonalise(double[][] m) {
        for (int c = 0; c < m[0].length; c++) {
            for (int before = 0; before < c; before++) {
                double along = 0;
                for (double[] row : m) {
                    along += row[c] * row[before];
                }
                for (double[] row : m) {
                    row[c] -= along * row[before];
                }
            }
            double square = 0;
            for (double[] row : m) {
                square += row[c] * row[c];
            }
            for (double[] row : m) {
                row[c] /= Math.sqrt(square);
            }
        }
    }

    private static void add(double[][] to, double[][] what) {
        for (int r = 0; r < to.length; r++) {
            for (int c = 0; c < to[0].length; c++) {
                to[r][c] += what[r][c];
            }
        }
    }

    private static double[][] transposed(double[][] m) {
        double[][] out = new double[m[0].length][m.length];
        for (int r = 0; r < m.length; r++) {
            for (int c = 0; c < m[0].length; c++) {
                out[c][r] = m[r][c];
            }
        }
        return out;
    }

    private static double[][] product(double[][] a, double[][] b) {
        double[][] out = new double[a.length][b[0].length];
        for (int r = 0; r < a.length; r++) {
            for (int c = 0; c < b[0].length; c++) {
                for (int k = 0; k < b.length; k++) {
                    out[r][c] += a[r][k] * b[k][c];
                }
            }
        }
        return out;
    }
}
