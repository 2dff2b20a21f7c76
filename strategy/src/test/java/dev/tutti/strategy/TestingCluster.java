package dev.tutti.strategy;

import dev.tutti.comm.Collectives;
import dev.tutti.comm.Group;
import dev.tutti.comm.GroupChangedException;
import dev.tutti.comm.Leases;
import dev.tutti.comm.Meeting;
import dev.tutti.comm.Member;
import dev.tutti.comm.MemberLostException;
import dev.tutti.comm.Report;
import dev.tutti.comm.Team;
import dev.tutti.train.Assignment;
import dev.tutti.train.Workplace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/** Members that are threads of one JVM, each with a model of its own; they can be lost at any point, and others can join. */
public final class TestingCluster {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final int first;
    private final Hook hook;
    private final TestingLedger ledger;
    private final TreeSet<String> alive = new TreeSet<>();
    private final TreeMap<String, Long> waiting = new TreeMap<>();
    private final Map<String, Long> sent = new ConcurrentHashMap<>();
    private List<Member> members = List.of();
    private Map<String, Long> progress = Map.of();
    private TestingCollectives.Table table;
    private long generation;
    private boolean changed;

    /** Told of every point that a member comes to; what it throws happens to that member there. */
    public interface Hook {
        void at(String member, String point);
    }

    /** The end of a member. */
    public static final class Killed extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    public TestingCluster(int members) {
        this(members, (member, point) -> {});
    }

    public TestingCluster(int members, Hook hook) {
        this.first = members;
        this.hook = hook;
        ledger = new TestingLedger(hook);
    }

    /** Runs the same on every member, named {@code a}, {@code b} and so on, and returns what those gave that were not killed. */
    public <T> Map<String, T> run(Function<Workplace, T> work) {
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            Map<String, Future<T>> running = new TreeMap<>();
            for (int i = 0; i < first; i++) {
                String id = String.valueOf((char) ('a' + i));
                running.put(id, threads.submit(member(id, work)));
            }
            Map<String, T> results = new TreeMap<>();
            for (var each : running.entrySet()) {
                T result = each.getValue().get(60, TimeUnit.SECONDS);
                if (result != null) {
                    results.put(each.getKey(), result);
                }
            }
            return results;
        } catch (ExecutionException | InterruptedException | TimeoutException e) {
            throw new AssertionError(e);
        } finally {
            threads.shutdownNow();
        }
    }

    /** The work of one member; null comes of one that was killed. */
    public <T> Callable<T> member(String id, Function<Workplace, T> work) {
        return () -> {
            try {
                return work.apply(new Seat(id));
            } catch (Killed e) {
                return null;
            } finally {
                lose(id);
            }
        };
    }

    public synchronized void lose(String id) {
        if (alive.remove(id)) {
            waiting.remove(id);
            ledger.lost(id);
            change(id + " is gone");
            assemble();
        }
    }

    private void change(String reason) {
        changed = true;
        if (table != null) {
            table.abort(new MemberLostException(List.of(), reason));
        }
        notifyAll();
    }

    private synchronized Meeting meet(String id, long at) {
        alive.add(id);
        waiting.put(id, at);
        if (generation > 0) {
            change(id + " meets again");
        }
        assemble();
        long until = System.nanoTime() + PATIENCE.toNanos();
        while (waiting.containsKey(id)) {
            long left = (until - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                throw new MemberLostException(List.of(), "the others did not come");
            }
            try {
                wait(left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new MemberLostException(List.of(), "interrupted");
            }
        }
        long furthest = progress.values().stream().mapToLong(each -> each).max().orElseThrow();
        List<String> ids = members.stream().map(Member::id).toList();
        int source = ids.indexOf(ids.stream()
                .filter(each -> progress.get(each) == furthest)
                .findFirst()
                .orElseThrow());
        boolean takeOver = progress.values().stream().anyMatch(each -> each != furthest) || generation > 1;
        return new Meeting(new Group(generation, ids.indexOf(id), members), source, takeOver);
    }

    private void assemble() {
        boolean complete = waiting.keySet().equals(alive) && (generation > 0 || alive.size() == first);
        if (complete && !alive.isEmpty()) {
            generation++;
            changed = false;
            members = new ArrayList<>(
                    alive.stream().map(id -> new Member(id, "here")).toList());
            progress = new TreeMap<>(waiting);
            table = new TestingCollectives.Table(members.size(), PATIENCE);
            waiting.clear();
            notifyAll();
        }
    }

    private synchronized void check(long seen) {
        if (changed || generation != seen) {
            throw new GroupChangedException("the members have changed");
        }
    }

    public synchronized List<String> alive() {
        return List.copyOf(alive);
    }

    public int chunks(int epoch) {
        return ledger.chunks(epoch);
    }

    /** Who used which chunk. */
    public Map<Integer, String> used(int epoch) {
        return ledger.used(epoch);
    }

    /** Bytes that a member sent. */
    public long sent(String id) {
        return sent.getOrDefault(id, 0L);
    }

    private synchronized Collectives collectives(Group group) {
        return new TestingCollectives(group, table, hook);
    }

    /** One member's place. */
    private final class Seat implements Workplace, Team {
        private final String id;
        private Group group;
        private Collectives collectives;

        Seat(String id) {
            this.id = id;
        }

        @Override
        public Team assemble(Assignment work) {
            return this;
        }

        @Override
        public Meeting meet(long progress) {
            count();
            Meeting meeting = TestingCluster.this.meet(id, progress);
            group = meeting.group();
            collectives = TestingCluster.this.collectives(group);
            return meeting;
        }

        private void count() {
            if (collectives != null) {
                sent.merge(id, collectives.traffic().sent(), Long::sum);
                collectives = null;
            }
        }

        @Override
        public Group group() {
            return group;
        }

        @Override
        public Collectives collectives() {
            return collectives;
        }

        @Override
        public void check() {
            hook.at(id, "check");
            TestingCluster.this.check(group.generation());
        }

        @Override
        public int threads() {
            return 1;
        }

        @Override
        public Leases leases() {
            return ledger.of(id);
        }

        @Override
        public void report(Report report) {}

        @Override
        public void close() {
            count();
        }
    }
}
