package dev.tutti.federated.simulation;

import dev.tutti.TuttiException;
import dev.tutti.data.RowRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The pathological partition of the FedAvg paper: rows are sorted by label and cut into {@code shards} for each client, which gets that
 * many by chance.
 */
final class LabelPartition implements Partitioner {
    private final int shards;

    LabelPartition(int shards) {
        if (shards < 1) {
            throw new TuttiException("label: expected 1 shard or more for each client, received " + shards);
        }
        this.shards = shards;
    }

    @Override
    public List<int[]> divide(Columns columns, int rows, int clients, long seed) {
        long[] labels = columns.values("label");
        RowRandom random = new RowRandom(seed);
        int[] sorted = Arrays.stream(RowShuffle.order(rows, random))
                .boxed()
                .sorted((a, b) -> Long.compare(labels[a], labels[b]))
                .mapToInt(Integer::intValue)
                .toArray();
        double[] even = new double[clients * shards];
        Arrays.fill(even, 1);
        List<int[]> all = RowShuffle.parts(sorted, even);
        int[] order = RowShuffle.order(all.size(), random);
        List<int[]> parts = new ArrayList<>(clients);
        for (int client = 0; client < clients; client++) {
            int[] own = new int[0];
            for (int shard = 0; shard < shards; shard++) {
                int[] more = all.get(order[client * shards + shard]);
                own = Arrays.copyOf(own, own.length + more.length);
                System.arraycopy(more, 0, own, own.length - more.length, more.length);
            }
            parts.add(own);
        }
        return RowShuffle.withoutEmpty(parts);
    }
}
