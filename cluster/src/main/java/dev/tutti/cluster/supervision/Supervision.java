package dev.tutti.cluster.supervision;

import dev.tutti.cluster.coordinator.Coordinator;
import dev.tutti.cluster.coordinator.Fact;
import dev.tutti.cluster.coordinator.MemberRecord;
import dev.tutti.cluster.coordinator.MembershipRules;
import dev.tutti.cluster.coordinator.Overview;
import dev.tutti.cluster.coordinator.Roster;
import dev.tutti.comm.Report;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks after the members: who is silent, who is slow, and whether their counts agree.
 *
 * <p>None of it outlives the process; it is found out anew within seconds.
 */
public final class Supervision {
    private static final Logger LOG = LoggerFactory.getLogger(Coordinator.class);

    private final SilenceDetector detector;
    private final Suspicions suspicions;
    private final StepPaces paces = new StepPaces();
    private final RowAccount rows = new RowAccount();
    private long nextLookAtAll = Long.MIN_VALUE;

    public Supervision(MembershipRules rules) {
        detector = new SilenceDetector(rules.patience());
        suspicions = new Suspicions(rules);
    }

    public SilenceDetector detector() {
        return detector;
    }

    /** Members of this process are not sent away for being slow: the job would end with it. */
    public void spare(String process) {
        suspicions.spare(process);
    }

    /** A member says how it is doing; it is lost if it is too slow. */
    public Optional<Fact> report(String member, Report report, Roster roster) {
        rows.enter(member, report).ifPresent(LOG::error);
        paces.add(member, report);
        return suspicions.judge(member, paces, roster);
    }

    /**
     * The members whose silence is to be judged now; empty: all of them. Between two looks at all members only those can be silent that
     * were before, or whose connections broke.
     */
    public Optional<Set<String>> suspects(long now) {
        if (now >= nextLookAtAll) {
            nextLookAtAll = detector.nextSilence(now);
            return Optional.empty();
        }
        Set<String> few = new TreeSet<>(detector.broken());
        few.addAll(suspicions.silent());
        return Optional.of(few);
    }

    /** Whether a member has been silent for too long. */
    public Optional<Fact.Lost> judge(MemberRecord place, long now) {
        return suspicions.judge(place, detector, now);
    }

    /** What was decided changes who is looked after. */
    public void enter(Fact fact) {
        if (fact instanceof Fact.Lost lost) {
            detector.forget(lost.member());
            suspicions.forget(lost.member());
            paces.forget(lost.member());
        } else if (fact instanceof Fact.Formed formed && formed.ofWorkers()) {
            paces.reset();
        }
    }

    /** One who is or was a member, for people. */
    public Overview.Line line(MemberRecord place, List<String> group, boolean waiting, long now) {
        String id = place.id();
        boolean living = place.living();
        return new Overview.Line(
                id,
                place.role(),
                place.host(),
                living ? detector.stateOf(id, now) : FailureDetector.State.GONE,
                living ? detector.silence(id, now) : now - place.lostAt(),
                living ? null : place.lost().why(),
                group.indexOf(id),
                waiting,
                paces.reports().get(id),
                paces.seconds(id),
                paces.timesSlower(id, group).orElse(1));
    }

    /** Rows used so far of each epoch. */
    public Map<Integer, Long> rows() {
        return rows.rows();
    }

    /** What did not add up. */
    public List<String> complaints() {
        return List.copyOf(rows.complaints());
    }
}
