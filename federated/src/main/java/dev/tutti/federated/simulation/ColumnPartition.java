package dev.tutti.federated.simulation;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** The natural partition: rows with the same value in a column are one client's, such as a speaker, a writer or a site. */
final class ColumnPartition implements Partitioner {
    private final String column;

    ColumnPartition(String column) {
        this.column = column;
    }

    @Override
    public String ownerColumn() {
        return column;
    }

    @Override
    public List<int[]> divide(Columns columns, int rows, int clients, long seed) {
        long[] owners = columns.values(column);
        Map<Long, IntStream.Builder> parts = new TreeMap<>();
        for (int row = 0; row < rows; row++) {
            parts.computeIfAbsent(owners[row], owner -> IntStream.builder()).add(row);
        }
        return parts.values().stream().map(part -> part.build().toArray()).toList();
    }
}
