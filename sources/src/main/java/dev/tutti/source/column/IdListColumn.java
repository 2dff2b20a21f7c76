package dev.tutti.source.column;

import java.util.Arrays;
import java.util.List;

/** A list of ids, such as {@code 17|4|99}: the texts between the separators. */
public final class IdListColumn extends TokenColumn {
    /** A regular expression. */
    private String separator = "[\\s,;|]+";

    private IdListColumn() {}

    private IdListColumn(String column, int size) {
        super(column, size);
    }

    /** A bag of the most frequent ids; {@code size} counts the one of unknown ids. */
    public static IdListColumn of(String column, int size) {
        return new IdListColumn(column, size);
    }

    /** The first ids in their order, instead of a bag. */
    public IdListColumn sequence(int length) {
        return asSequence(length);
    }

    /** Ids seen less often count as unknown. */
    public IdListColumn atLeast(long times) {
        return seenAtLeast(times);
    }

    /** What stands between ids, as a regular expression. */
    public IdListColumn separator(String expression) {
        IdListColumn copy = copy();
        copy.separator = expression;
        return copy;
    }

    @Override
    void check() {
        super.check();
        try {
            java.util.regex.Pattern.compile(separator);
        } catch (java.util.regex.PatternSyntaxException e) {
            require(false, "column '" + column() + "': 'separator' is no regular expression: " + e.getDescription());
        }
    }

    @Override
    List<String> split(String text) {
        return Arrays.stream(text.split(separator)).filter(id -> !id.isEmpty()).toList();
    }
}
