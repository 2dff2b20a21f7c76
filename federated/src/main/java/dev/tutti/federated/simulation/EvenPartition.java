package dev.tutti.federated.simulation;

import dev.tutti.data.RowRandom;
import java.util.Arrays;
import java.util.List;

/** Rows by chance, the same number for each client: independent and identically distributed. */
final class EvenPartition implements Partitioner {
    @Override
    public List<int[]> divide(Columns columns, int rows, int clients, long seed) {
        double[] even = new double[clients];
        Arrays.fill(even, 1);
        return RowShuffle.withoutEmpty(RowShuffle.parts(RowShuffle.order(rows, new RowRandom(seed)), even));
    }
}
