package dev.tutti.federated.simulation;

import dev.tutti.TuttiException;
import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.data.Batch;
import dev.tutti.data.BatchReader;
import dev.tutti.data.Dataset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** All rows of a data set in memory, shared by all simulated clients. */
final class PartitionTable {
    private static final int READ = 4096;

    private final List<NdArray> features;
    private final List<NdArray> labels;
    private final int rows;

    private PartitionTable(List<NdArray> features, List<NdArray> labels, int rows) {
        this.features = List.copyOf(features);
        this.labels = List.copyOf(labels);
        this.rows = rows;
    }

    static PartitionTable of(Dataset data) {
        List<Batch> batches = new ArrayList<>();
        int rows = 0;
        try (BatchReader reader = data.batch(READ).open(0)) {
            for (Optional<Batch> batch = reader.next(); batch.isPresent(); batch = reader.next()) {
                batches.add(batch.get());
                rows += batch.get().size();
            }
        }
        if (rows == 0) {
            throw new TuttiException("the data set is empty: " + data);
        }
        int all = rows;
        return new PartitionTable(
                join(batches.stream().map(Batch::features).toList(), all),
                join(batches.stream().map(Batch::labels).toList(), all),
                rows);
    }

    private static List<NdArray> join(List<List<NdArray>> parts, int rows) {
        List<NdArray> joined = new ArrayList<>();
        for (int column = 0; column < parts.get(0).size(); column++) {
            DType type = parts.get(0).get(column).type();
            Shape row = parts.get(0).get(column).shape().from(1);
            Object all = NdArray.allocate(type, Math.toIntExact(rows * row.size()));
            int at = 0;
            for (List<NdArray> part : parts) {
                NdArray array = part.get(column);
                System.arraycopy(array.data(), 0, all, at, array.size());
                at += array.size();
            }
            joined.add(NdArray.wrap(type, row.prepend(rows), all));
        }
        return joined;
    }

    int rows() {
        return rows;
    }

    List<NdArray> features() {
        return features;
    }

    List<NdArray> labels() {
        return labels;
    }

    /** A column of whole numbers: {@code label}, {@code label1}, {@code feature1}. */
    long[] column(String name) {
        NdArray array = array(name);
        if (array.size() != rows) {
            throw new TuttiException("the column '" + name + "' has "
                    + array.shape().from(1) + " in each row: expected one number to divide the rows by");
        }
        long[] values = new long[rows];
        for (int i = 0; i < rows; i++) {
            values[i] = array.longAt(i);
        }
        return values;
    }

    private NdArray array(String name) {
        String kind = name.replaceFirst("\\d+$", "");
        List<NdArray> among = kind.equals("feature") ? features : kind.equals("label") ? labels : List.of();
        String number = name.substring(kind.length());
        int index = number.isEmpty() ? 0 : Integer.parseInt(number);
        if (index >= among.size()) {
            throw new TuttiException("there is no column '" + name + "': expected feature0 to feature"
                    + (features.size() - 1) + " or label0 to label" + (labels.size() - 1));
        }
        return among.get(index);
    }

    /** The same rows without a column that only says whose they are. */
    PartitionTable without(String name) {
        array(name);
        return new PartitionTable(named(features, "feature", name), named(labels, "label", name), rows);
    }

    private static List<NdArray> named(List<NdArray> columns, String kind, String without) {
        List<NdArray> rest = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            if (!without.equals(kind + i) && !(i == 0 && without.equals(kind))) {
                rest.add(columns.get(i));
            }
        }
        return rest;
    }

    /** Some rows as a data set; nothing is copied. */
    Dataset subset(int[] chosen) {
        return Dataset.of(new RowSubset(this, chosen));
    }

    /** One of so many parts of nearly equal length. */
    Dataset part(int index, int parts) {
        int from = (int) ((long) rows * index / parts);
        int to = (int) ((long) rows * (index + 1) / parts);
        return subset(java.util.stream.IntStream.range(from, to).toArray());
    }
}
