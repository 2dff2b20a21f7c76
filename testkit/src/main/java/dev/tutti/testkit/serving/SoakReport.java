package dev.tutti.testkit.serving;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What a soak of serving came to.
 *
 * @param rate how many requests clients sent in a second at most; 0: without a pause
 * @param answered predictions with the right answer
 * @param refused by a service that said when to come again
 * @param failed without an answer
 * @param wrong answers whose mark is not that of the version they name, or of an older version than was answered by already
 * @param faults by kind
 * @param early what the replica that was never killed held after a quarter of the time
 * @param late what it held at the end
 * @param samples about one a minute
 */
public record SoakReport(
        double minutes,
        int rate,
        long answered,
        long refused,
        long failed,
        long wrong,
        long versions,
        Map<String, Integer> faults,
        ProcessUse early,
        ProcessUse late,
        List<Sample> samples,
        String firstFailure) {
    /**
     * What was held at one time.
     *
     * @param replica the one that is never killed
     * @param router the process of the router and of the clients
     */
    public record Sample(double minute, long answered, ProcessUse replica, ProcessUse router) {}

    public boolean isSound() {
        return failed == 0 && wrong == 0 && answered > 0 && late.isFlatSince(early);
    }

    /** A page for bench/results. */
    public String page(String command) {
        StringBuilder text = new StringBuilder("# Soak of serving\n\n");
        text.append("Two replicas behind a router on one machine, eight clients "
                        + (rate == 0
                                ? "without a pause"
                                : String.format(Locale.ROOT, "that send %d requests/s at most", rate))
                        + ", a new version every few seconds and a fault in between.\n\n- made by `")
                .append(command)
                .append("`\n\n");
        text.append("| what | number |\n|---|---|\n");
        row(text, "minutes", String.format(Locale.ROOT, "%.1f", minutes));
        row(text, "predictions answered", String.format(Locale.ROOT, "%,d", answered));
        row(text, "refused with Retry-After", Long.toString(refused));
        row(text, "failed", Long.toString(failed));
        row(text, "wrong version", Long.toString(wrong));
        row(text, "versions swapped in", Long.toString(versions));
        faults.forEach((kind, count) -> row(text, kind, Integer.toString(count)));
        row(text, "memory of a replica after a quarter, at the end", use(early.megabytes(), late.megabytes(), " MB"));
        row(text, "its threads", use(early.threads(), late.threads(), ""));
        row(text, "its open files", use(early.files(), late.files(), ""));
        row(text, "sound", isSound() ? "yes" : "NO: " + firstFailure);
        text.append(
                "\nOver time: the replica that was never killed, and the process of the router and the clients.\n\n");
        text.append("| minute | answered | replica MB | threads | files | router MB | threads | files |\n");
        text.append("|---|---|---|---|---|---|---|---|\n");
        for (Sample sample : samples) {
            text.append(String.format(
                    Locale.ROOT,
                    "| %.1f | %,d | %s | %s |%n",
                    sample.minute(),
                    sample.answered(),
                    cells(sample.replica()),
                    cells(sample.router())));
        }
        return text.toString();
    }

    private static String cells(ProcessUse use) {
        return String.format(Locale.ROOT, "%.0f | %d | %d", use.megabytes(), use.threads(), use.files());
    }

    private static String use(double early, double late, String unit) {
        return String.format(Locale.ROOT, "%.0f%s, %.0f%s", early, unit, late, unit);
    }

    private static void row(StringBuilder text, String what, String number) {
        text.append("| ").append(what).append(" | ").append(number).append(" |\n");
    }
}
