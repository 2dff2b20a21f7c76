package dev.tutti.source.table;

import dev.tutti.data.DataException;
import dev.tutti.io.AtomicFile;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The rows of one table that could not be read, as its {@link BadRows} policy treats them. */
public final class BadRowLog {
    private final BadRows policy;
    private final String source;
    private final Map<String, String> reasons = new LinkedHashMap<>();
    private String first;

    /** @param source the name of the table in messages */
    public BadRowLog(BadRows policy, String source) {
        this.policy = policy;
        this.source = source;
    }

    /**
     * Takes note of a row.
     *
     * @param place where it is, such as {@code people.csv, line 3}; one row counts once however many reasons there are
     * @param reason what was expected and what was received
     * @param text the row as it was written
     * @throws DataException if the policy is to fail, or its limit is passed
     */
    public void add(String place, String reason, String text) {
        if (policy.fails()) {
            throw new DataException(place + ": " + reason
                    + ". To leave such rows out, set 'badRows' of the source to skip or collect.");
        }
        first = first == null ? place + ": " + reason : first;
        String line = quoted(place) + "," + quoted(reason) + "," + quoted(text);
        if (reasons.putIfAbsent(place, line) == null && reasons.size() > policy.limit()) {
            throw new DataException(source + " has more than " + policy.limit()
                    + " bad rows, the limit of 'badRows'; the last is " + place + ": " + reason);
        }
    }

    private static String quoted(String text) {
        return '"' + text.replace("\"", "\"\"") + '"';
    }

    public long count() {
        return reasons.size();
    }

    /** Writes the file of a policy that collects, and gives a line for the summary if there were bad rows. */
    public List<String> finish() {
        if (policy.file().isPresent() && !reasons.isEmpty()) {
            AtomicFile.write(
                    Path.of(policy.file().get()), "place,reason,row\n" + String.join("\n", reasons.values()) + "\n");
        }
        return reasons.isEmpty() ? List.of() : List.of(notice());
    }

    private String notice() {
        return String.format(
                Locale.ROOT,
                "%,d bad row%s of %s %s left out%s; the first: %s",
                count(),
                count() == 1 ? "" : "s",
                source,
                count() == 1 ? "was" : "were",
                policy.file().map(file -> " and written to " + file).orElse(""),
                first);
    }
}
