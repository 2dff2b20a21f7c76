package dev.tutti.train.profile;

import java.util.List;
import java.util.Locale;

/**
 * Where the time of a run went, member by member, and what limits it.
 *
 * @param members those of the end of the run, by rank; only this one where the others could not be asked any more
 */
public record TimeReport(List<MemberTime> members) {
    public TimeReport {
        members = List.copyOf(members);
    }

    /** One sentence on what a faster run would have to change, with numbers. */
    public String limit() {
        return new Bottleneck(members).sentence();
    }

    /** A small table for people. */
    @Override
    public String toString() {
        int width = Math.max(
                6,
                members.stream().mapToInt(each -> each.member().length()).max().orElse(0));
        String rows = "%-" + width + "s %9s %9s %9s %9s %9s %9s %9s%n";
        StringBuilder table = new StringBuilder(String.format(
                Locale.ROOT, rows, "member", "compute", "waiting", "wire", "feeding", "update", "other", "sent"));
        for (MemberTime each : members) {
            table.append(String.format(
                    Locale.ROOT,
                    rows,
                    each.member(),
                    seconds(each.compute()),
                    seconds(each.waiting()),
                    seconds(each.wire()),
                    seconds(each.feeding()),
                    seconds(each.update()),
                    seconds(each.other()),
                    bytes(each.sent())));
        }
        return table.toString();
    }

    private static String seconds(double value) {
        return String.format(Locale.ROOT, value < 10 ? "%.2f s" : "%.1f s", value);
    }

    static String bytes(double count) {
        String[] units = {"B", "kB", "MB", "GB", "TB"};
        int unit = 0;
        double value = count;
        while (value >= 1000 && unit < units.length - 1) {
            value /= 1000;
            unit++;
        }
        return String.format(Locale.ROOT, unit == 0 || value >= 100 ? "%.0f %s" : "%.1f %s", value, units[unit]);
    }
}
