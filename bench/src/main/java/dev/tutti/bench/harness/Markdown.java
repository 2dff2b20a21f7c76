package dev.tutti.bench.harness;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Results as a page to be read: a table with aligned columns, then the commands behind the numbers. */
public final class Markdown {
    private static final List<String> HEADER =
            List.of("what", "peer", "ours", "theirs", "unit", "ratio", "spread", "target", "met", "commands");

    private Markdown() {}

    public static String of(Results results) {
        Map<String, Integer> commands = new LinkedHashMap<>();
        List<List<String>> table = new ArrayList<>();
        table.add(HEADER);
        results.rows().forEach(row -> table.add(cells(row, commands)));

        StringBuilder page = new StringBuilder();
        page.append("# Benchmark: ").append(results.benchmark()).append("\n\n");
        page.append(results.description()).append("\n\n");
        page.append("- made by `")
                .append(results.command())
                .append("`, ")
                .append(results.date())
                .append("\n");
        page.append("- ").append(results.machine()).append("\n");
        page.append("- ")
                .append(results.versions().entrySet().stream()
                        .map(version -> version.getKey() + " " + version.getValue())
                        .collect(Collectors.joining(", ")))
                .append("\n\n");
        page.append("A ratio over 1 means that ours is better, whichever way the unit is good. Numbers are medians of ")
                .append(results.repetitions())
                .append(
                        " rounds or more, in which everybody was measured in turn; the ratio is the median of the rounds' ratios,")
                .append(
                        " which need not be that of the medians, and the spread goes from the smallest to the largest.\n\n");
        page.append(aligned(table));
        if (!results.failures().isEmpty()) {
            page.append("\nWhat failed:\n\n");
            results.failures().stream()
                    .map(row -> "- " + row.what() + ": " + row.failure() + "\n")
                    .distinct()
                    .forEach(page::append);
        }
        page.append("\nCommands, run from the project's folder:\n\n");
        commands.forEach((command, number) ->
                page.append(number).append(". `").append(command).append("`\n"));
        return page.toString();
    }

    private static List<String> cells(ResultRow row, Map<String, Integer> commands) {
        String ours = row.ours() == null ? "failed" : Numbers.of(row.ours().median());
        String theirs =
                row.theirs() == null ? "failed" : Numbers.of(row.theirs().median());
        return List.of(
                row.what(),
                row.peer(),
                ours,
                theirs,
                row.unit(),
                row.ratio() == null ? "-" : "**" + Numbers.ratio(row.ratio()) + "**",
                row.spread() == null ? "-" : Numbers.range(row.spread()),
                row.target() == null ? "-" : row.target().toString(),
                row.met() == null ? "-" : row.met() ? "yes" : "no",
                number(row.oursCommand(), commands) + ", " + number(row.peerCommand(), commands));
    }

    private static int number(String command, Map<String, Integer> commands) {
        return commands.computeIfAbsent(command, any -> commands.size() + 1);
    }

    /** A table whose columns are aligned in its text, too; the first line is the header. */
    public static String aligned(List<List<String>> table) {
        int[] widths = new int[table.get(0).size()];
        table.forEach(line -> {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], line.get(i).length());
            }
        });
        StringBuilder text = new StringBuilder();
        for (int number = 0; number < table.size(); number++) {
            List<String> line = table.get(number);
            for (int i = 0; i < widths.length; i++) {
                text.append("| ")
                        .append(line.get(i))
                        .append(" ".repeat(widths[i] - line.get(i).length() + 1));
            }
            text.append("|\n");
            if (number == 0) {
                for (int width : widths) {
                    text.append("|").append("-".repeat(width + 2));
                }
                text.append("|\n");
            }
        }
        return text.toString();
    }
}
