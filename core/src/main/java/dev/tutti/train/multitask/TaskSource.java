package dev.tutti.train.multitask;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.data.Batch;
import dev.tutti.data.BatchReader;
import dev.tutti.data.DataException;
import dev.tutti.data.Dataset;
import dev.tutti.data.Sample;
import dev.tutti.data.SampleSpec;
import dev.tutti.data.source.Source;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The rows of several tasks one behind the other. A row has a label for its own task, and for the others one that says that there is
 * none: -1 for classes, NaN for numbers. Rows are kept in memory once they were read.
 */
public final class TaskSource implements Source {
    /** The class of a row that belongs to another task. */
    static final long NO_CLASS = -1;

    private static final int AT_ONCE = 1024;

    private List<Dataset> tasks = List.of();
    private transient List<List<Sample>> loaded;

    private TaskSource() {}

    public static TaskSource of(List<Dataset> tasks) {
        TaskSource source = new TaskSource();
        source.tasks = List.copyOf(tasks);
        return source;
    }

    /** The rows of each task. */
    public long[] sizes() {
        return load().stream().mapToLong(List::size).toArray();
    }

    @Override
    public OptionalLong size() {
        return OptionalLong.of(Arrays.stream(sizes()).sum());
    }

    @Override
    public Rows open() {
        return new TaskRows(load());
    }

    private synchronized List<List<Sample>> load() {
        if (loaded == null) {
            List<List<Sample>> all = new ArrayList<>();
            List<SampleSpec.ArraySpec> labels = new ArrayList<>();
            for (Dataset task : tasks) {
                SampleSpec spec = task.spec();
                if (spec.labels().size() != 1) {
                    throw new DataException("a task has one label in each row, received "
                            + spec.labels().size() + " from " + task);
                }
                if (!labels.isEmpty()
                        && !spec.features().equals(tasks.get(0).spec().features())) {
                    throw new DataException("tasks of one model have the same features: expected "
                            + tasks.get(0).spec().features() + ", received " + spec.features() + " from " + task);
                }
                labels.add(spec.labels().get(0));
            }
            for (int i = 0; i < tasks.size(); i++) {
                all.add(rows(tasks.get(i), i, labels));
            }
            loaded = all;
        }
        return loaded;
    }

    private static List<Sample> rows(Dataset task, int index, List<SampleSpec.ArraySpec> labels) {
        List<NdArray> missing = labels.stream().map(TaskSource::missing).toList();
        List<Sample> rows = new ArrayList<>();
        try (BatchReader reader = task.batch(AT_ONCE).open(0)) {
            for (Optional<Batch> batch = reader.next(); batch.isPresent(); batch = reader.next()) {
                for (int row = 0; row < batch.get().size(); row++) {
                    int at = row;
                    List<NdArray> own = new ArrayList<>(missing);
                    NdArray label = batch.get().label().row(at);
                    own.set(index, label.to(label.type().isFloating() ? DType.FLOAT32 : DType.INT64));
                    rows.add(new Sample(
                            batch.get().features().stream()
                                    .map(array -> array.row(at))
                                    .toList(),
                            own));
                }
            }
        }
        if (rows.isEmpty()) {
            throw new DataException("a task needs rows: " + task + " has none");
        }
        return rows;
    }

    private static NdArray missing(SampleSpec.ArraySpec label) {
        int size = Math.toIntExact(label.shape().size());
        Shape shape = label.shape();
        if (label.type().isFloating()) {
            float[] none = new float[size];
            Arrays.fill(none, Float.NaN);
            return NdArray.wrap(DType.FLOAT32, shape, none);
        }
        long[] none = new long[size];
        Arrays.fill(none, NO_CLASS);
        return NdArray.wrap(DType.INT64, shape, none);
    }

    /** Whether a row of labels is one of the task they are for. */
    static boolean isPresent(NdArray labels, int row, int width) {
        return labels.type().isFloating()
                ? !Double.isNaN(labels.at(row * width))
                : labels.longAt(row * width) != NO_CLASS;
    }

    /** The places of the rows that belong to a task, by their labels. */
    static long[] present(NdArray labels) {
        int rows = (int) labels.shape().dim(0);
        int width = rows == 0 ? 1 : labels.size() / rows;
        long[] places = new long[rows];
        int count = 0;
        for (int row = 0; row < rows; row++) {
            if (isPresent(labels, row, width)) {
                places[count++] = row;
            }
        }
        return Arrays.copyOf(places, count);
    }

    /** Some rows of an array. */
    static NdArray rows(NdArray array, long[] places) {
        Shape row = array.shape().from(1);
        int width = Math.toIntExact(row.size());
        Object out = NdArray.allocate(array.type(), Math.multiplyExact(places.length, width));
        for (int i = 0; i < places.length; i++) {
            System.arraycopy(array.data(), (int) places[i] * width, out, i * width, width);
        }
        return NdArray.wrap(array.type(), row.prepend(places.length), out);
    }

    private record TaskRows(List<List<Sample>> tasks) implements RandomRows {
        @Override
        public long size() {
            return tasks.stream().mapToLong(List::size).sum();
        }

        @Override
        public Sample row(long number) {
            long left = number;
            for (List<Sample> task : tasks) {
                if (left < task.size()) {
                    return task.get((int) left);
                }
                left -= task.size();
            }
            throw new IndexOutOfBoundsException("row " + number);
        }

        @Override
        public boolean isConcurrent() {
            return true;
        }
    }

    @Override
    public String toString() {
        return "tasks" + tasks;
    }
}
