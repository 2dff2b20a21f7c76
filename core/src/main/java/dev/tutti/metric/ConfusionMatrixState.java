package dev.tutti.metric;

import dev.tutti.array.NdArray;
import java.util.List;
import java.util.stream.IntStream;

/** The counts of a {@link ConfusionMatrix}. */
public final class ConfusionMatrixState extends NamedState {
    /** Beyond it the matrix would take more memory than such a table is worth. */
    private static final int MOST_CLASSES = 4096;

    private final double threshold;
    private int classes;
    /** A row for each actual class: a count for each decided class and, last, one for the undecided. */
    private long[] counts = {};

    ConfusionMatrixState(String metric, double threshold) {
        super(metric);
        this.threshold = threshold;
    }

    @Override
    public void update(NdArray predictions, NdArray targets) {
        ClassBatch batch = ClassBatch.of(metric(), predictions, targets);
        expectClasses(batch.classes());
        int[] decided = batch.decide(threshold);
        for (int row = 0; row < decided.length; row++) {
            int column = decided[row] == ClassBatch.UNDECIDED ? classes : decided[row];
            counts[batch.actual()[row] * (classes + 1) + column]++;
        }
    }

    @Override
    public void merge(MetricState other) {
        ConfusionMatrixState state = same(other, ConfusionMatrixState.class);
        if (state.classes > 0) {
            expectClasses(state.classes);
            for (int i = 0; i < counts.length; i++) {
                counts[i] += state.counts[i];
            }
        }
    }

    /** The accuracy: the share of rows on the diagonal. */
    @Override
    public double value() {
        long hits = 0;
        long rows = 0;
        for (int actual = 0; actual < classes; actual++) {
            hits += count(actual, actual);
            for (int column = 0; column <= classes; column++) {
                rows += count(actual, column);
            }
        }
        return rows == 0 ? Double.NaN : (double) hits / rows;
    }

    /** The number of classes; 0 before the first batch. */
    public int classes() {
        return classes;
    }

    /** The counts as int64 of shape {@code [actual class, decided class]}. */
    public NdArray matrix() {
        long[] matrix = new long[classes * classes];
        for (int actual = 0; actual < classes; actual++) {
            System.arraycopy(counts, actual * (classes + 1), matrix, actual * classes, classes);
        }
        return NdArray.of(matrix, classes, classes);
    }

    /** Rows that are in no column of the matrix because their predictions held a NaN. */
    public long undecided() {
        return IntStream.range(0, classes)
                .mapToLong(actual -> count(actual, classes))
                .sum();
    }

    /** The matrix as text, classes named by their numbers. */
    public String table() {
        return table(IntStream.range(0, classes).mapToObj(Integer::toString).toList());
    }

    /** The matrix as text: a line for each actual class, a column for each decided one. */
    public String table(List<String> names) {
        if (names.size() != classes) {
            throw new IllegalArgumentException(
                    "there are " + classes + " classes: received " + names.size() + " names");
        }
        boolean undecided = undecided() > 0;
        String corner = "actual \\ predicted";
        int first = Math.max(
                corner.length(), names.stream().mapToInt(String::length).max().orElse(0));
        int columns = undecided ? classes + 1 : classes;
        int[] widths = new int[columns];
        for (int column = 0; column < columns; column++) {
            widths[column] = heading(names, column).length();
            for (int actual = 0; actual < classes; actual++) {
                widths[column] = Math.max(
                        widths[column], Long.toString(count(actual, column)).length());
            }
        }
        StringBuilder text = new StringBuilder(pad(corner, -first));
        for (int column = 0; column < columns; column++) {
            text.append("  ").append(pad(heading(names, column), widths[column]));
        }
        for (int actual = 0; actual < classes; actual++) {
            text.append('\n').append(pad(names.get(actual), -first));
            for (int column = 0; column < columns; column++) {
                text.append("  ").append(pad(Long.toString(count(actual, column)), widths[column]));
            }
        }
        return text.append('\n').toString();
    }

    @Override
    public NdArray snapshot() {
        return row(counts.clone());
    }

    @Override
    public void restore(NdArray snapshot) {
        long[] longs = longs(snapshot);
        int size = (int) Math.sqrt(longs.length);
        if (longs.length != size * (size + 1)) {
            throw new MetricException(
                    metric(),
                    "a snapshot holds a row for each class: received " + longs.length + " numbers, which is no matrix");
        }
        classes = size;
        counts = longs.clone();
    }

    private long count(int actual, int column) {
        return counts[actual * (classes + 1) + column];
    }

    private String heading(List<String> names, int column) {
        return column == classes ? "undecided" : names.get(column);
    }

    /** Pads to the right when the width is positive, to the left when it is negative. */
    private static String pad(String text, int width) {
        return String.format("%" + width + "s", text);
    }

    private void expectClasses(int received) {
        if (received > MOST_CLASSES) {
            throw new MetricException(
                    metric(), "a matrix of at most " + MOST_CLASSES + " classes is kept: received " + received);
        }
        if (classes == 0) {
            classes = received;
            counts = new long[received * (received + 1)];
        } else if (classes != received) {
            throw new MetricException(
                    metric(), "all batches have the same classes: received " + received + " after " + classes);
        }
    }
}
