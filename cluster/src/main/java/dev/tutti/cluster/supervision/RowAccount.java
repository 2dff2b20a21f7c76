package dev.tutti.cluster.supervision;

import dev.tutti.comm.Report;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Keeps account of the rows that all members together have used of each epoch, where they are not leased.
 *
 * <p>Every member says after a step how far the group is. They have to agree: for one step there is one number, and it rises
 * with the steps. Anything else would mean rows used twice or passed over.
 */
final class RowAccount {
    private final Map<Integer, Entry> epochs = new TreeMap<>();
    private final Deque<String> complaints = new ArrayDeque<>();

    private record Entry(long step, long rows, String member) {}

    /** Enters a report; says what is wrong with it if it does not fit, and leaves it out. */
    Optional<String> enter(String member, Report report) {
        if (report.rowsOfEpoch() < 0) {
            return Optional.empty();
        }
        Entry known = epochs.get(report.epoch());
        Entry said = new Entry(report.step(), report.rowsOfEpoch(), member);
        if (known != null && !agree(known, said)) {
            String complaint = "epoch " + report.epoch() + ": " + member + " counts " + said.rows + " rows after step "
                    + said.step + ", but " + known.member + " counted " + known.rows + " after step " + known.step
                    + ": rows were used twice or passed over";
            complaints.addLast(complaint);
            if (complaints.size() > 100) {
                complaints.removeFirst();
            }
            return Optional.of(complaint);
        }
        if (known == null || said.step > known.step) {
            epochs.put(report.epoch(), said);
        }
        return Optional.empty();
    }

    private static boolean agree(Entry one, Entry other) {
        if (one.step == other.step) {
            return one.rows == other.rows;
        }
        return one.step < other.step ? one.rows <= other.rows : one.rows >= other.rows;
    }

    /** Rows used so far of each epoch. */
    Map<Integer, Long> rows() {
        Map<Integer, Long> rows = new TreeMap<>();
        epochs.forEach((epoch, entry) -> rows.put(epoch, entry.rows));
        return rows;
    }

    Deque<String> complaints() {
        return complaints;
    }
}
