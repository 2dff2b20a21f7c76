package dev.tutti.testkit.soak;

import java.util.List;
import java.util.Locale;

/**
 * What came of many runs with faults, as a page.
 *
 * @param title its heading
 * @param explanation what was done, and when a run counts as sound
 */
public record FaultPage(String title, String explanation) {
    public static final FaultPage SOAK = new FaultPage(
            "Soak: training under random faults",
            "Real JVMs, all-reduce, " + SoakRun.EPOCHS + " epochs of " + SoakRun.STEPS + " steps. " + soundness());

    public static final FaultPage HOSTS = new FaultPage(
            "Soak over hosts: training while members and the network between them break",
            "Real JVMs, one on each host (a network namespace with an address, a name and shared memory of its own)"
                    + " with 1 Gbit/s and 0.5 ms,\n"
                    + "all-reduce, TLS. Members are killed and stopped, hosts cut off in one direction or both, links lose"
                    + " packets or become slow. "
                    + soundness());

    public static final FaultPage SWEEP = new FaultPage(
            "Sweep: one member stopped or killed at one point after the other",
            "Three real JVMs, all-reduce, " + Sweep.EPOCHS + " epochs of " + Sweep.STEPS + " steps; where a server is"
                    + " struck, two workers and two servers of parameters. " + soundness()
                    + " Where all are needed, or the driver is struck,\n"
                    + "the others have to fail and name who is missing; those of a driver that was killed end with"
                    + " it.");

    private static String soundness() {
        return "A run is sound when every other member counted every sample once\nin each epoch and has the parameters"
                + " of the undisturbed run (to " + Soak.TOLERANCE + ").";
    }

    /** The page in Markdown. @param command what made the lines */
    public String of(List<Soak.Line> lines, String command) {
        StringBuilder page = new StringBuilder("# " + title + "\n\n`" + command + "`\n\n" + explanation);
        page.append("\n\n| ending | runs |\n|---|---|\n");
        Soak.counts(lines).forEach((ending, count) -> row(page, words(ending), count));
        page.append("\n| number | members | ending | seconds | what happened |\n|---|---|---|---|---|\n");
        for (Soak.Line line : lines) {
            String seconds = String.format(Locale.ROOT, "%.1f", line.seconds());
            row(page, line.number(), line.members(), words(line.ending()), seconds, line.story());
        }
        return page.toString();
    }

    private static void row(StringBuilder page, Object... cells) {
        for (Object cell : cells) {
            page.append("| ").append(cell).append(' ');
        }
        page.append("|\n");
    }

    private static String words(Soak.Ending ending) {
        return ending.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
