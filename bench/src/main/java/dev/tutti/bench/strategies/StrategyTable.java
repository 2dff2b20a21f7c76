package dev.tutti.bench.strategies;

import dev.tutti.bench.harness.Machine;
import dev.tutti.bench.harness.Markdown;
import dev.tutti.bench.harness.MeasurementSummary;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What a study of strategies found, and everything needed to judge it.
 *
 * @param description what was trained
 * @param command what the user typed
 * @param date when it began, as ISO 8601 in UTC
 * @param repetitions rounds, each with another seed
 */
public record StrategyTable(
        String description,
        String command,
        String date,
        boolean quick,
        int repetitions,
        Machine machine,
        Map<String, String> versions,
        List<StrategyRow> rows) {
    private static final List<String> HEADER = List.of(
            "strategy",
            "members",
            "sent by a member",
            "of plain",
            "seconds",
            "of plain",
            "accuracy",
            "spread",
            "in a job file");

    /** The rows in words whose training failed. */
    public List<String> failures() {
        return rows.stream()
                .filter(row -> row.failure() != null)
                .map(row -> row.name() + ", " + row.members() + " members: " + row.failure())
                .toList();
    }

    /** The table as a page to be read. */
    public String page() {
        List<List<String>> table = new ArrayList<>();
        table.add(HEADER);
        rows.forEach(row -> table.add(cells(row)));
        StringBuilder page = new StringBuilder("# Benchmark: strategies\n\n");
        page.append(description).append("\n\n");
        page.append("- made by `").append(command).append("`, ").append(date).append("\n");
        page.append("- ").append(machine).append("\n");
        page.append("- ")
                .append(versions.entrySet().stream()
                        .map(version -> version.getKey() + " " + version.getValue())
                        .collect(Collectors.joining(", ")))
                .append("\n\n");
        page.append(Markdown.aligned(table));
        if (!failures().isEmpty()) {
            page.append("\nWhat failed:\n\n");
            failures().forEach(failure -> page.append("- ").append(failure).append("\n"));
        }
        return page.toString();
    }

    private List<String> cells(StrategyRow row) {
        String strategy = "`" + row.strategy() + "`";
        if (row.failure() != null) {
            return List.of(row.name(), members(row), "failed", "-", "-", "-", "-", "-", strategy);
        }
        StrategyRow plain = rows.stream()
                .filter(other -> other.members() == row.members()) // itself at least
                .findFirst()
                .orElseThrow();
        return List.of(
                row.name(),
                members(row),
                bytes(row.bytes().median()),
                share(row.bytes(), plain.bytes()),
                format("%.1f", row.seconds().median()),
                share(row.seconds(), plain.seconds()),
                format("%.4f", row.accuracy().median()),
                format("%.4f", row.accuracy().min()) + "–"
                        + format("%.4f", row.accuracy().max()),
                strategy);
    }

    private static String members(StrategyRow row) {
        return Integer.toString(row.members());
    }

    private static String share(MeasurementSummary mine, MeasurementSummary plain) {
        return plain == null || plain.median() == 0 ? "-" : format("%.3f", mine.median() / plain.median());
    }

    private static String bytes(double count) {
        return format("%.2f MB", count / 1e6);
    }

    private static String format(String format, double number) {
        return String.format(Locale.ROOT, format, number);
    }
}
