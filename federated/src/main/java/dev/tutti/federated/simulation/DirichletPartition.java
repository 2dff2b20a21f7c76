package dev.tutti.federated.simulation;

import dev.tutti.TuttiException;
import dev.tutti.data.RowRandom;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** Every class is divided among the clients by a draw of a Dirichlet distribution: the smaller alpha, the more clients differ. */
final class DirichletPartition implements Partitioner {
    private final double alpha;

    DirichletPartition(double alpha) {
        if (!(alpha > 0)) {
            throw new TuttiException("dirichlet: expected an alpha above 0, received " + alpha);
        }
        this.alpha = alpha;
    }

    @Override
    public List<int[]> divide(Columns columns, int rows, int clients, long seed) {
        long[] labels = columns.values("label");
        RowRandom random = new RowRandom(seed);
        Map<Long, int[]> classes = new TreeMap<>();
        for (long label : Arrays.stream(labels).distinct().sorted().toArray()) {
            int[] own = IntStream.range(0, rows).filter(i -> labels[i] == label).toArray();
            RowShuffle.mix(own, random);
            classes.put(label, own);
        }
        IntStream.Builder[] parts = new IntStream.Builder[clients];
        Arrays.setAll(parts, i -> IntStream.builder());
        for (int[] own : classes.values()) {
            double[] weights = new double[clients];
            for (int i = 0; i < clients; i++) {
                weights[i] = RowShuffle.gamma(alpha, random);
            }
            List<int[]> shares = RowShuffle.parts(own, weights);
            for (int i = 0; i < clients; i++) {
                for (int row : shares.get(i)) {
                    parts[i].add(row);
                }
            }
        }
        return RowShuffle.withoutEmpty(
                Arrays.stream(parts).map(part -> part.build().toArray()).toList());
    }
}
