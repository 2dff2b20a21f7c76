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
 * each report and nobody is judged before {@value #ENOUGH} of them.
 */
public final class StepPaces {
    public static final int ENOUGH = 10;
    private static final double WEIGHT = 0.1;

    private final Map<String, Pace> paces = new HashMap<>();
    private final Map<String, Report> reports = new TreeMap<>();

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

    private boolean known(String member) {
        return paces.containsKey(member) && paces.get(member).reports >= ENOUGH;
    }
}
