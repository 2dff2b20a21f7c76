package dev.tutti.bench.plan;

import dev.tutti.bench.harness.Machine;
import dev.tutti.bench.harness.Markdown;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Predictions beside measured runs.
 *
 * @param command what the user typed
 * @param date when it began, as ISO 8601 in UTC
 * @param failures runs that came to no result, in words
 */
public record PlanTable(
        String command,
        String date,
        boolean quick,
        Machine machine,
        Map<String, String> versions,
        List<PlanRow> rows,
        List<String> failures) {
    /** What the recommended run may take longer than the best one. */
    private static final double GOOD_ENOUGH = 1.1;

    /** The error of the middle row, or of another share of them. */
    public double error(double share) {
        List<Double> errors = rows.stream().map(PlanRow::error).sorted().toList();
        return errors.isEmpty()
                ? Double.NaN
                : errors.get((int) Math.min(errors.size() - 1, Math.floor(share * errors.size())));
    }

    /** Of how many kinds of hosts and links the recommended run was the fastest or nearly so, and of how many there are. */
    public int[] recommendations() {
        int good = 0;
        int all = 0;
        for (List<PlanRow> place : places().values()) {
            double best =
                    place.stream().mapToDouble(PlanRow::measuredSeconds).min().orElseThrow();
            for (PlanRow row : place) {
                if (row.recommended()) {
                    all++;
                    good += row.measuredSeconds() <= best * GOOD_ENOUGH ? 1 : 0;
                }
            }
        }
        return new int[] {good, all};
    }

    private Map<String, List<PlanRow>> places() {
        return rows.stream()
                .filter(row -> row.hosts() > 1)
                .collect(Collectors.groupingBy(
                        row -> row.link() + " " + row.hosts(), LinkedHashMap::new, Collectors.toList()));
    }

    /** The table as a page to be read. */
    public String page(String picture) {
        List<List<String>> table = new ArrayList<>();
        table.add(List.of("link", "hosts", "strategy", "predicted, ms", "measured, ms", "error", "fastest predicted"));
        rows.stream()
                .sorted(Comparator.comparing(PlanRow::link).thenComparingInt(PlanRow::hosts))
                .forEach(row -> table.add(List.of(
                        row.link(),
                        String.valueOf(row.hosts()),
                        row.strategy(),
                        millis(row.predictedSeconds()),
                        millis(row.measuredSeconds()),
                        String.format(Locale.ROOT, "%.0f%%", 100 * row.error()),
                        row.recommended() ? "yes" : "")));
        StringBuilder page = new StringBuilder("# Benchmark: plan\n\n");
        page.append("Seconds of a batch of ")
                .append(PlannedJob.BATCH)
                .append(" rows, a small CNN on MNIST, as the planner predicts them from a profile of one core and as"
                        + " they were measured with one member of one worker on each host: network namespaces with"
                        + " links of a known bandwidth and delay, one way. All hosts share the cores of one"
                        + " machine: where there are more hosts than cores, the planner is told that computing"
                        + " takes as many times as long.\n\n");
        page.append("- made by `").append(command).append("`, ").append(date).append("\n");
        page.append("- ").append(machine).append("\n");
        page.append(String.format(
                Locale.ROOT,
                "- error: median **%.0f%%** (aim 15%%), 90th percentile **%.0f%%** (aim 30%%), %d runs\n",
                100 * error(0.5),
                100 * error(0.9),
                rows.size()));
        int[] good = recommendations();
        page.append("- the run that was predicted to be the fastest was measured as the fastest or within 10% of"
                        + " it in **")
                .append(good[0])
                .append(" of ")
                .append(good[1])
                .append("** cases (aim 9 of 10)\n\n");
        page.append("![predicted and measured](").append(picture).append(")\n\n");
        page.append(Markdown.aligned(table));
        if (!failures.isEmpty()) {
            page.append("\nWhat failed:\n\n");
            failures.forEach(failure -> page.append("- ").append(failure).append("\n"));
        }
        return page.toString();
    }

    private static String millis(double seconds) {
        return String.format(Locale.ROOT, "%.1f", 1000 * seconds);
    }
}
