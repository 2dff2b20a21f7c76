package dev.tutti.bench.network;

import dev.tutti.bench.harness.Machine;
import dev.tutti.bench.harness.Markdown;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What a study of sums between hosts found.
 *
 * @param command what the user typed
 * @param date when it began, as ISO 8601 in UTC
 * @param failures what could not be measured, in words
 */
public record NetworkTable(
        String command,
        String date,
        boolean quick,
        Machine machine,
        Map<String, String> versions,
        List<NetworkRow> rows,
        List<String> failures) {
    private static final List<String> WAYS = List.of("ring", "halving", "parts");
    private static final List<String> HEADER = List.of(
            "link",
            "hosts",
            "members of each",
            "vector",
            "ours, ms",
            "PyTorch's Gloo, ms",
            "ratio",
            "ring, ms",
            "halving, ms",
            "parts, ms",
            "bytes and rounds, ms",
            "ours of that");

    /** The table as a page to be read. */
    public String page() {
        List<List<String>> table = new ArrayList<>();
        table.add(HEADER);
        rows.forEach(row -> table.add(cells(row)));
        StringBuilder page = new StringBuilder("# Benchmark: network\n\n");
        page.append("All-reduce of a vector of floats between hosts: network namespaces with links of a known bandwidth"
                + " and delay, one way. Medians. *Ours* is the way that training takes, chosen by what was measured"
                + " when the members met; ring, halving (recursive halving and doubling) and parts (each part to its"
                + " owner and back) are the ways by themselves. *Bytes and rounds* is the least there can be: bytes"
                + " over bandwidth plus rounds times latency of the cheapest way, with the round in which members say"
                + " what they call for. With several members of each host sums are hierarchical: shared memory within"
                + " a host, one member of each between hosts. All hosts share the cores of one machine.\n\n");
        page.append("- made by `").append(command).append("`, ").append(date).append("\n");
        page.append("- ").append(machine).append("\n");
        page.append("- ")
                .append(versions.entrySet().stream()
                        .map(version -> version.getKey() + " " + version.getValue())
                        .collect(Collectors.joining(", ")))
                .append("\n\n");
        page.append(Markdown.aligned(table));
        if (!failures.isEmpty()) {
            page.append("\nWhat failed:\n\n");
            failures.forEach(failure -> page.append("- ").append(failure).append("\n"));
        }
        return page.toString();
    }

    private static List<String> cells(NetworkRow row) {
        List<String> cells = new ArrayList<>(List.of(
                row.link(),
                String.valueOf(row.hosts()),
                String.valueOf(row.membersOfEach()),
                size(row.bytes()),
                millis(row.ours()),
                row.torchSeconds() == null ? "-" : millis(row.torchSeconds()),
                row.torchSeconds() == null
                        ? "-"
                        : "**" + String.format(Locale.ROOT, "%.2f", row.torchSeconds() / row.ours()) + "**"));
        WAYS.forEach(way ->
                cells.add(row.seconds().containsKey(way) ? millis(row.seconds().get(way)) : "-"));
        cells.add(millis(row.leastSeconds()));
        cells.add(String.format(Locale.ROOT, "%.2f", row.ours() / row.leastSeconds()));
        return cells;
    }

    private static String size(int bytes) {
        return bytes >= 1 << 20 ? (bytes >> 20) + " MB" : (bytes >> 10) + " kB";
    }

    private static String millis(double seconds) {
        return String.format(Locale.ROOT, seconds < 0.1 ? "%.2f" : "%.0f", 1000 * seconds);
    }
}
