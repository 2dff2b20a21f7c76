package dev.tutti.source.column;

import dev.tutti.array.NdArray;
import dev.tutti.data.DataException;
import dev.tutti.source.table.ColumnType;
import dev.tutti.source.table.ColumnValues;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** One of some classes: the values of the training part in the order of the alphabet, or of numbers if all are, or as given. */
final class ClassLabel extends LabelColumn {
    private static final int MOST = 10_000;

    private List<String> classes;

    private transient Map<String, Integer> ids;

    private ClassLabel() {}

    ClassLabel(String column, List<String> classes) {
        super(column);
        this.classes = classes;
    }

    @Override
    ColumnType type() {
        return ColumnType.TEXT;
    }

    @Override
    boolean isFitted() {
        return classes != null;
    }

    @Override
    List<String> classes() {
        return classes;
    }

    private synchronized Map<String, Integer> ids() {
        if (ids == null) {
            Map<String, Integer> all = new HashMap<>();
            classes.forEach(name -> all.put(name, all.size()));
            ids = all;
        }
        return ids;
    }

    @Override
    String problem(ColumnValues values, int row) {
        if (values.isMissing(row)) {
            return "column '" + column() + "' is the label and has no value";
        }
        String text = values.text(row).orElseThrow();
        return ids().containsKey(text)
                ? null
                : "column '" + column() + "' is the label: expected one of "
                        + classes.stream().limit(20).collect(Collectors.joining(", ")) + ", received '" + text + "'";
    }

    @Override
    NdArray encode(ColumnValues values, int rows) {
        long[] out = new long[rows];
        for (int row = 0; row < rows; row++) {
            out[row] = ids().get(values.text(row).orElseThrow());
        }
        return NdArray.of(out, rows);
    }

    @Override
    LabelFit newFit() {
        return new Fit();
    }

    private final class Fit implements LabelFit {
        private final WordCounts words = new WordCounts(column());

        @Override
        public void add(ColumnValues values, int rows) {
            words.add(values, rows);
        }

        @Override
        public void merge(LabelFit other) {
            words.merge(((Fit) other).words);
        }

        @Override
        public void write(DataOutput out) throws IOException {
            words.write(out);
        }

        @Override
        public void merge(DataInput written) throws IOException {
            words.merge(written);
        }

        @Override
        public LabelColumn fitted() {
            List<String> found = List.copyOf(words.counts().keySet());
            if (found.isEmpty()) {
                throw new DataException("column '" + column() + "' is the label and has no value in any row");
            }
            if (found.size() > MOST) {
                throw new DataException(
                        "column '" + column() + "' has " + found.size()
                                + " different values, too many for classes: is it a number? Then say label: {type: number, ...}");
            }
            boolean numbers = found.stream().allMatch(text -> text.matches("-?\\d{1,15}"));
            return new ClassLabel(
                    column(),
                    found.stream()
                            .sorted(
                                    numbers
                                            ? java.util.Comparator.comparingLong(Long::parseLong)
                                            : java.util.Comparator.naturalOrder())
                            .toList());
        }
    }
}
