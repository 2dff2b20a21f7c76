package dev.tutti.train.transfer;

import dev.tutti.array.Shape;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What came of an {@link Adoption}: one row for each parameter and buffer of the model, and one for each tensor of the source that was
 * not used.
 */
public record AdoptionReport(String source, List<Row> rows) {
    /** What happened to a tensor. */
    public enum Fate {
        /** The model has the source's values now. */
        TAKEN,
        /** The source has the tensor in another shape; the model keeps its own values. */
        MISMATCHED,
        /** The source has no such tensor; the model keeps its own values. */
        NEW,
        /** The model has no such parameter. */
        LEFT
    }

    /**
     * One tensor.
     *
     * @param name its name in the model, or in the source where the model has none
     * @param from its name in the source; null where there is none
     * @param shape the model's shape; null where there is none
     * @param found the source's shape; null where there is none
     */
    public record Row(String name, Fate fate, String from, Shape shape, Shape found) {}

    public AdoptionReport {
        rows = List.copyOf(rows);
    }

    public long count(Fate fate) {
        return rows.stream().filter(row -> row.fate == fate).count();
    }

    /** The names in the model of what was taken. */
    public Set<String> taken() {
        return rows.stream()
                .filter(row -> row.fate == Fate.TAKEN)
                .map(Row::name)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** One line: how many of each. */
    public String summary() {
        return String.format(
                Locale.ROOT,
                "%s: %d taken, %d new, %d of another shape, %d left",
                source,
                count(Fate.TAKEN),
                count(Fate.NEW),
                count(Fate.MISMATCHED),
                count(Fate.LEFT));
    }

    /** A table with a line for each tensor. */
    public String table() {
        int width = rows.stream().mapToInt(row -> row.name.length()).max().orElse(4);
        StringBuilder out = new StringBuilder();
        for (Row row : rows) {
            String shapes = row.shape == null
                    ? row.found.toString()
                    : row.found == null || row.found.equals(row.shape)
                            ? row.shape.toString()
                            : row.shape + ", in the source " + row.found;
            out.append(String.format(
                    Locale.ROOT,
                    "%-" + width + "s  %-10s  %s%s%n",
                    row.name,
                    row.fate.name().toLowerCase(Locale.ROOT),
                    shapes,
                    row.from == null || row.from.equals(row.name) ? "" : " from " + row.from));
        }
        return out.toString();
    }
}
