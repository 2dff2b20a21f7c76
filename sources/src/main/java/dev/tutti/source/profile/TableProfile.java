package dev.tutti.source.profile;

import dev.tutti.source.column.NumberStatistics;
import dev.tutti.source.table.ColumnStore;
import dev.tutti.source.table.ColumnType;
import dev.tutti.source.table.ColumnValues;
import dev.tutti.source.table.Schema;
import dev.tutti.source.table.TableSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a table holds, column by column, and its first rows.
 *
 * @param sample the first rows as text; a missing value is empty
 */
public record TableProfile(String source, long rows, List<ColumnProfile> columns, List<List<String>> sample) {
    /** So many different values of a column are counted. */
    public static final int MOST_DIFFERENT = 100_000;

    private static final int BLOCK = 1 << 15;
    private static final int BUCKETS = 12;
    private static final int FREQUENT = 12;

    /** Reads a table and looks at every value. */
    public static TableProfile of(TableSource table, int sampleRows) {
        ColumnStore store = table.load().store();
        List<ColumnProfile> columns = new ArrayList<>();
        for (int i = 0; i < store.schema().size(); i++) {
            columns.add(new Look(store, i).profile());
        }
        return new TableProfile(table.toString(), store.rows(), columns, sample(store, sampleRows));
    }

    private static List<List<String>> sample(ColumnStore store, int most) {
        int count = (int) Math.min(most, store.rows());
        List<List<String>> rows = new ArrayList<>();
        for (int row = 0; row < count; row++) {
            List<String> cells = new ArrayList<>();
            for (int column = 0; column < store.schema().size(); column++) {
                cells.add(store.range(column, row, row + 1L).text(0).orElse(""));
            }
            rows.add(cells);
        }
        return rows;
    }

    /** The profile of a column; a name that does not exist is refused with the nearest one. */
    public ColumnProfile column(String name) {
        new Schema(columns.stream()
                        .map(column -> new Schema.Column(column.name(), column.type()))
                        .toList())
                .indexOf(name);
        return columns.stream()
                .filter(column -> column.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** Looks at one column, twice where buckets need to know the range first. */
    private static final class Look {
        private final ColumnStore store;
        private final int index;
        private final Schema.Column column;
        private final NumberStatistics statistics = new NumberStatistics();
        private final Map<String, Long> counts = new HashMap<>();
        private long missing;
        private long words;

        Look(ColumnStore store, int index) {
            this.store = store;
            this.index = index;
            this.column = store.schema().column(index);
        }

        private interface Visitor {
            void visit(ColumnValues values, int row);
        }

        private void each(Visitor visitor) {
            for (long from = 0; from < store.rows(); from += BLOCK) {
                ColumnValues values = store.range(index, from, Math.min(store.rows(), from + BLOCK));
                for (int row = 0; row < values.size(); row++) {
                    visitor.visit(values, row);
                }
            }
        }

        private void count(ColumnValues values, int row) {
            if (values.isMissing(row)) {
                missing++;
                return;
            }
            boolean isText = column.type() == ColumnType.TEXT;
            if (!isText) {
                statistics.add(values.number(row));
            }
            String text = values.text(row).orElseThrow();
            if (isText) {
                words += text.isBlank() ? 0 : text.strip().split("\\s+").length;
            }
            if (counts.containsKey(text) || counts.size() < MOST_DIFFERENT) {
                counts.merge(text, 1L, Long::sum);
            }
        }

        ColumnProfile profile() {
            each(this::count);
            Map<String, Long> frequent = new LinkedHashMap<>();
            counts.entrySet().stream()
                    .sorted(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder())
                            .thenComparing(Map.Entry.comparingByKey()))
                    .limit(FREQUENT)
                    .forEach(entry -> frequent.put(entry.getKey(), entry.getValue()));
            boolean numbers = column.type() != ColumnType.TEXT && statistics.count() > 0;
            return new ColumnProfile(
                    column.name(),
                    column.type(),
                    store.rows(),
                    missing,
                    counts.size(),
                    numbers ? statistics.min() : Double.NaN,
                    numbers ? statistics.max() : Double.NaN,
                    numbers ? statistics.mean() : Double.NaN,
                    numbers ? statistics.deviation() : Double.NaN,
                    numbers && column.type() != ColumnType.BOOLEAN ? buckets() : List.copyOf(frequent.values()),
                    frequent,
                    store.rows() == missing ? 0 : (double) words / (store.rows() - missing));
        }

        private List<Long> buckets() {
            long[] buckets = new long[BUCKETS];
            double least = statistics.min();
            double range = statistics.max() - least;
            each((values, row) -> {
                if (!values.isMissing(row)) {
                    double share = range == 0 ? 0 : (values.number(row) - least) / range;
                    buckets[(int) Math.min(BUCKETS - 1, Math.max(0, share * BUCKETS))]++;
                }
            });
            return Arrays.stream(buckets).boxed().toList();
        }
    }
}
