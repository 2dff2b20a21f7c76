package dev.tutti.source.profile;

import dev.tutti.source.table.ColumnType;
import java.util.List;
import java.util.Map;

/**
 * What a column holds.
 *
 * @param different how many different values there are; at most {@link TableProfile#MOST_DIFFERENT} are counted
 * @param least the least number or the earliest time, NaN for text
 * @param greatest the greatest number or the latest time, NaN for text
 * @param mean the mean of numbers, NaN for text
 * @param deviation the standard deviation of numbers, NaN for text
 * @param buckets how many numbers lie in each of some buckets of equal width, or how often the most frequent values occur
 * @param frequent the most frequent values and how often they occur; empty where nearly all differ
 * @param words the mean number of words of a text
 */
public record ColumnProfile(
        String name,
        ColumnType type,
        long rows,
        long missing,
        long different,
        double least,
        double greatest,
        double mean,
        double deviation,
        List<Long> buckets,
        Map<String, Long> frequent,
        double words) {
    private static final String BARS = " ▁▂▃▄▅▆▇█";

    /** The distribution as small bars; the highest bucket is full. */
    public String bars() {
        long most = buckets.stream().mapToLong(Long::longValue).max().orElse(0);
        StringBuilder text = new StringBuilder();
        for (long count : buckets) {
            int height = most == 0 ? 0 : (int) Math.ceil((BARS.length() - 1) * (double) count / most);
            text.append(BARS.charAt(height));
        }
        return text.toString();
    }

    public long present() {
        return rows - missing;
    }

    public boolean isConstant() {
        return different <= 1;
    }

    /** Whether the column only names its rows, so that there is nothing to learn from it. */
    public boolean isIdentifier() {
        boolean allDiffer = present() > 50 && different >= Math.min(present(), TableProfile.MOST_DIFFERENT) * 0.95;
        return allDiffer
                && (type == ColumnType.TEXT && words < 3
                        || type == ColumnType.INTEGER && greatest - least < 2.0 * rows);
    }
}
