package dev.tutti.source.column;

import dev.tutti.source.table.ColumnValues;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** The share of rows that would have to change for the values to be distributed as before (total variation), and new values. */
final class CategoryDrift implements ColumnDrift.Measure {
    private final String column;
    private final Vocabulary known;
    private final WordCounts words;

    CategoryDrift(String column, Vocabulary known) {
        this.column = column;
        this.known = known;
        this.words = new WordCounts(column);
    }

    @Override
    public void add(ColumnValues[] columns, int rows) {
        words.add(columns[0], rows);
    }

    @Override
    public ColumnDrift drift() {
        Map<String, Long> now = words.counts();
        double before = Math.max(
                1, known.counts().values().stream().mapToLong(Long::longValue).sum());
        double after =
                Math.max(1, now.values().stream().mapToLong(Long::longValue).sum());
        Set<String> all = new HashSet<>(known.counts().keySet());
        all.addAll(now.keySet());
        double distance = 0;
        for (String word : all) {
            distance +=
                    Math.abs(known.counts().getOrDefault(word, 0L) / before - now.getOrDefault(word, 0L) / after) / 2;
        }
        Set<String> fresh = new HashSet<>(now.keySet());
        fresh.removeAll(known.counts().keySet());
        long unknown = fresh.stream().mapToLong(now::get).sum();
        return new ColumnDrift(
                column,
                distance,
                String.format(
                        Locale.ROOT,
                        "%s: %.1f%% of the rows have other values than before; %d values are new, in %.1f%% of the rows",
                        column,
                        100 * distance,
                        fresh.size(),
                        100 * unknown / after));
    }
}
