package dev.tutti.cluster.supervision;

import dev.tutti.comm.Report;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;

/**
 * How long members take for their part of a step, smoothed, and how that compares with the others.
 *
 * <p>A single slow step says nothing (a garbage collection, a file read for the first time), so the mean moves by a tenth with
 * each report and no member is judged before {@value #ENOUGH} of them.
 */
public final class StepPaces {
    public static final int ENOUGH = 10;
    private static final double WEIGHT = 0.1;

    /** Up to so many members the middle of the others is found at every report. */
    private static final int FEW = 64;

    private final Map<String, Pace> paces = new HashMap<>();
    private final Map<String, Report> reports = new TreeMap<>();

    private double middle; // of all members of a large group, as of some reports ago
    private int middleFor; // so many more reports

    private record Pace(double seconds, int reports) {
        Pace and(double more) {
            // A plain mean at first: a first step that compiles everything must not weigh for long.
            double weight = Math.max(WEIGHT, 1.0 / (reports + 1));
            return new Pace(seconds + weight * (more - seconds), reports + 1);
        }
    }

    /** Takes a report; one about a step that was reported before counts once. */
    void add(String member, Report report) {
        Report before = reports.put(member, report);
        if ((before == null || before.step() != report.step()) && report.busySeconds() > 0) {
            paces.merge(member, new Pace(report.busySeconds(), 1), (pace, one) -> pace.and(one.seconds));
        }
    }

    void forget(String member) {
        paces.remove(member);
    }

    /** New shares of the work: what was measured before does not count. */
    void reset() {
        paces.clear();
        middleFor = 0;
    }

    Map<String, Report> reports() {
        return reports;
    }

    double seconds(String member) {
        Pace pace = paces.get(member);
        return pace == null ? 0 : pace.seconds;
    }

    /** How many times as long as the middle one of the others a member takes; empty as long as that cannot be said. */
    OptionalDouble timesSlower(String member, Collection<String> group) {
        if (group.size() > FEW) {
            return ofMany(member, group);
        }
        double[] others = group.stream()
                .filter(other -> !other.equals(member) && known(other))
                .mapToDouble(this::seconds)
                .sorted()
                .toArray();
        if (!known(member) || others.length == 0) {
            return OptionalDouble.empty();
        }
        return OptionalDouble.of(seconds(member) / others[(others.length - 1) / 2]);
    }

    /** One of many hardly moves the middle: it is found anew when a quarter of them have reported. */
    private OptionalDouble ofMany(String member, Collection<String> group) {
        if (!known(member)) {
            return OptionalDouble.empty();
        }
        if (middleFor <= 0) {
            double[] all = group.stream()
                    .filter(this::known)
                    .mapToDouble(this::seconds)
                    .sorted()
                    .toArray();
            if (all.length == 0) {
                return OptionalDouble.empty();
            }
            middle = all[(all.length - 1) / 2];
            middleFor = group.size() / 4;
        }
        middleFor--;
        return OptionalDouble.of(seconds(member) / middle);
    }

    private boolean known(String member) {
        return paces.containsKey(member) && paces.get(member).reports >= ENOUGH;
    }
}
