package dev.tutti.federated.simulation;

import dev.tutti.TuttiException;
import dev.tutti.data.RowRandom;
import java.util.List;

/** Rows by chance, but numbers of them by a draw of a Dirichlet distribution: the smaller alpha, the more their numbers differ. */
final class QuantityPartition implements Partitioner {
    private final double alpha;

    QuantityPartition(double alpha) {
        if (!(alpha > 0)) {
            throw new TuttiException("quantity: expected an alpha above 0, received " + alpha);
        }
        this.alpha = alpha;
    }

    @Override
    public List<int[]> divide(Columns columns, int rows, int clients, long seed) {
        RowRandom random = new RowRandom(seed);
        double[] weights = new double[clients];
        for (int i = 0; i < clients; i++) {
            weights[i] = RowShuffle.gamma(alpha, random);
        }
        return RowShuffle.withoutEmpty(RowShuffle.parts(RowShuffle.order(rows, random), weights));
    }
}
