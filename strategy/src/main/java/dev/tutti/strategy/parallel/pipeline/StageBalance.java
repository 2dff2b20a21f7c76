package dev.tutti.strategy.parallel.pipeline;

import dev.tutti.train.TrainingException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Cuts a row of layers into parts, so that the dearest part is as cheap as possible. */
public final class StageBalance {
    private StageBalance() {}

    /**
     * Where the parts begin, without the first one.
     *
     * @param costs of each layer
     * @throws TrainingException if there are fewer layers than parts
     */
    public static List<Integer> cuts(double[] costs, int parts) {
        int layers = costs.length;
        if (layers < parts) {
            throw new TrainingException(
                    "parallel: the model has " + layers + " layers at its top, which cannot be cut into "
                            + parts + " parts: expected at least " + parts
                            + "; choose fewer stages or chunks, or write inner layers at the top");
        }
        double[][] best = new double[parts + 1][layers + 1];
        int[][] from = new int[parts + 1][layers + 1];
        for (double[] row : best) {
            Arrays.fill(row, Double.POSITIVE_INFINITY);
        }
        best[0][0] = 0;
        for (int part = 1; part <= parts; part++) {
            for (int end = part; end <= layers; end++) {
                double own = 0;
                for (int begin = end - 1; begin >= part - 1; begin--) {
                    own += costs[begin];
                    double worst = Math.max(own, best[part - 1][begin]);
                    if (worst < best[part][end]) {
                        best[part][end] = worst;
                        from[part][end] = begin;
                    }
                }
            }
        }
        List<Integer> cuts = new ArrayList<>();
        int end = layers;
        for (int part = parts; part > 1; part--) {
            end = from[part][end];
            cuts.add(0, end);
        }
        return cuts;
    }
}
