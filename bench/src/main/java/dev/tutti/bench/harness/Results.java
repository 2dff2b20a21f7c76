package dev.tutti.bench.harness;

import java.util.List;
import java.util.Map;

/**
 * What a benchmark found, and everything needed to judge it.
 *
 * @param command what the user typed
 * @param date when it began, as ISO 8601 in UTC
 */
public record Results(
        String benchmark,
        String description,
        String command,
        String date,
        boolean quick,
        int repetitions,
        Machine machine,
        Map<String, String> versions,
        List<ResultRow> rows) {

    /** The rows where a contender failed. */
    public List<ResultRow> failures() {
        return rows.stream().filter(row -> row.failure() != null).toList();
    }

    /** The rows that had a target and missed it. */
    public List<ResultRow> missed() {
        return rows.stream().filter(row -> Boolean.FALSE.equals(row.met())).toList();
    }
}
