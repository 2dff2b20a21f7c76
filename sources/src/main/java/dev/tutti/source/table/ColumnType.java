package dev.tutti.source.table;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.tutti.DidYouMean;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** What a column of a table holds. Every value may be missing. */
public enum ColumnType {
    /** A double; a missing one is NaN. */
    NUMBER,
    /** A whole number of 64 bits. */
    INTEGER,
    /** True or false, kept as 1 or 0. */
    BOOLEAN,
    /** A date or a point in time, kept as microseconds since 1970 in UTC. */
    TIME,
    /** Text of any length; lists are text with blanks between the elements. */
    TEXT;

    /** What stands for a missing whole number, truth value or time. */
    static final long MISSING = Long.MIN_VALUE;

    /** Whether values are kept as 64-bit whole numbers. */
    public boolean isWhole() {
        return this == INTEGER || this == BOOLEAN || this == TIME;
    }

    /** The type named as in files. */
    @JsonCreator
    public static ColumnType named(String name) {
        List<String> names = Arrays.stream(values()).map(ColumnType::toString).toList();
        int at = names.indexOf(name);
        if (at < 0) {
            throw new IllegalArgumentException("unknown column type '" + name + "'" + DidYouMean.hint(name, names));
        }
        return values()[at];
    }

    @JsonValue
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
