package dev.tutti.cluster.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.cluster.journal.Journal;
import dev.tutti.cluster.supervision.FailureDetector;
import dev.tutti.comm.ChunkPreference;
import dev.tutti.comm.Report;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** A coordinator under a virtual clock, whose members are played by the test. */
public final class TestingJob {
    static final Timeouts PATIENCE = Timeouts.DEFAULT;

    public final Coordinator coordinator;
    public final List<Journal.Entry> journal = new ArrayList<>();
    private final Set<String> beating = new LinkedHashSet<>();
    private int sessions;
    public long now = 1_000_000;

    TestingJob(MembershipRules rules) {
        coordinator = new Coordinator(rules);
    }

    public List<Fact> apply(Event event) {
        List<Fact> facts = coordinator.apply(event, now);
        if (!facts.isEmpty()) {
            journal.add(new Journal.Entry(now, facts));
        }
        return facts;
    }

    /** Joins; from then on it is heard of until it is {@link #silence silenced}. */
    String join(String wish) {
        String session = "session " + sessions++;
        Fact.Joined joined =
                (Fact.Joined) apply(new Event.Join(session, wish, MemberRecord.WORKER, "here", "process of " + session))
                        .get(0);
        beating.add(joined.member());
        return joined.member();
    }

    List<String> join(int count) {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ids.add(join(null));
        }
        return ids;
    }

    void silence(String member) {
        beating.remove(member);
    }

    void meet(long progress, String... members) {
        meet(progress, Arrays.asList(members));
    }

    void meet(long progress, List<String> members) {
        for (String member : members) {
            apply(new Event.Meet(member, generation(), progress, List.of()));
        }
    }

    /** A group of the first so many members. */
    public static TestingJob withGroup(MembershipRules rules, int members) {
        TestingJob job = new TestingJob(rules);
        job.meet(0, job.join(members));
        assertThat(job.generation()).isEqualTo(1);
        return job;
    }

    void report(String member, long step, double seconds) {
        apply(new Event.Heartbeat(member, new Report(0, step, -1, seconds, 0)));
    }

    /** Lets time pass, with heartbeats of all that are not silenced; returns what was decided. */
    List<Fact> pass(long millis) {
        List<Fact> facts = new ArrayList<>();
        long until = now + millis;
        while (now < until) {
            now = Math.min(until, now + 100);
            for (String member : List.copyOf(beating)) {
                if (coordinator.notice(member).gone() == null) {
                    facts.addAll(apply(new Event.Heartbeat(member, null)));
                }
            }
            facts.addAll(apply(new Event.Tick()));
        }
        return facts;
    }

    long generation() {
        return coordinator.overview(now).generation();
    }

    List<String> group() {
        return coordinator.overview(now).members().stream()
                .filter(line -> line.rank() >= 0)
                .sorted(java.util.Comparator.comparingInt(Overview.Line::rank))
                .map(Overview.Line::id)
                .toList();
    }

    FailureDetector.State state(String member) {
        return coordinator.overview(now).members().stream()
                .filter(line -> line.id().equals(member))
                .findFirst()
                .map(Overview.Line::state)
                .orElse(FailureDetector.State.UNKNOWN);
    }

    /** A job in which there is something of everything to remember. */
    public static TestingJob eventful(MembershipRules rules) {
        TestingJob job = withGroup(rules, 2);
        job.apply(new Event.Post("worker-0", 1, "address", "host \"x\"\n\u00fc"));
        job.apply(new Event.Begin("worker-0", 0, 6, List.of(0)));
        job.apply(new Event.Lease("worker-0", 0, List.of()));
        job.apply(new Event.Lease("worker-1", 0, List.of()));
        job.apply(new Event.Use("worker-0", 0, List.of(1)));
        job.apply(new Event.GiveBack("worker-1", 0));
        job.apply(new Event.Lease("worker-0", 0, List.of()));
        job.apply(new Event.Begin("worker-0", "other", 3, 5, List.of(2)));
        job.apply(new Event.Lease("worker-1", "other", 3, List.of(), ChunkPreference.first(List.of(4))));
        job.apply(new Event.Configure("rate", "0.1"));
        job.apply(new Event.Configure("rate", null));
        job.apply(new Event.Configure("momentum", "0.9"));
        job.now += 50;
        job.apply(new Event.Exited("process of session 1", "ended"));
        job.now += 50;
        job.join("somebody");
        return job;
    }

    /** A coordinator that starts with what is in the journal. */
    public static Coordinator reborn(MembershipRules rules, List<Journal.Entry> journal) {
        Coordinator reborn = new Coordinator(rules);
        journal.forEach(entry -> entry.facts().forEach(fact -> reborn.replay(fact, entry.at())));
        return reborn;
    }
}
