package dev.tutti.source.table;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Locale;
import java.util.Optional;

/**
 * What is done about a row that cannot be read: {@code badRows: skip}, or with a limit and a file for those that were left out:
 * {@code badRows: {policy: collect, limit: 100, file: bad-rows.csv}}.
 */
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
public final class BadRows {
    /** What happens at a bad row. */
    enum Policy {
        /** Reading ends with an error that names file, line, column, value and what was expected. */
        @JsonProperty("fail")
        FAIL,
        /** The row is left out and counted. */
        @JsonProperty("skip")
        SKIP,
        /** The row is left out, counted, and written to a file with the reason. */
        @JsonProperty("collect")
        COLLECT;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private static final long DEFAULT_LIMIT = 1000;

    private Policy policy = Policy.FAIL;
    private long limit = DEFAULT_LIMIT;
    private String file;

    private BadRows() {}

    private BadRows(Policy policy, long limit, String file) {
        this.policy = policy;
        this.limit = limit;
        this.file = file;
    }

    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    static BadRows named(String policy) {
        for (Policy known : Policy.values()) {
            if (known.toString().equals(policy)) {
                return new BadRows(known, DEFAULT_LIMIT, null);
            }
        }
        throw new IllegalArgumentException("unknown policy '" + policy + "': expected fail, skip or collect");
    }

    /** The first bad row ends reading: the default. */
    public static BadRows fail() {
        return new BadRows();
    }

    /** Bad rows are left out, up to a limit. */
    public static BadRows skip(long limit) {
        return new BadRows(Policy.SKIP, limit, null);
    }

    /** Bad rows are left out, up to a limit, and written to a file with the reasons. */
    public static BadRows collect(long limit, String file) {
        return new BadRows(Policy.COLLECT, limit, file);
    }

    /** Whether the first bad row ends reading. */
    public boolean fails() {
        return policy == Policy.FAIL;
    }

    long limit() {
        return limit;
    }

    Optional<String> file() {
        return policy == Policy.COLLECT ? Optional.of(file == null ? "bad-rows.csv" : file) : Optional.empty();
    }

    @Override
    public String toString() {
        return policy + (fails() ? "" : " up to " + limit);
    }
}
