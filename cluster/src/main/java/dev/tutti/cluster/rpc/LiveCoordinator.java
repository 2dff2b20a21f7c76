package dev.tutti.cluster.rpc;

import dev.tutti.TuttiException;
import dev.tutti.cluster.coordinator.Coordinator;
import dev.tutti.cluster.coordinator.Event;
import dev.tutti.cluster.coordinator.Fact;
import dev.tutti.cluster.coordinator.MembershipRules;
import dev.tutti.cluster.journal.CoordinatorLog;
import dev.tutti.cluster.journal.Journal;
import dev.tutti.comm.Member;
import dev.tutti.io.FileException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A coordinator at work: one event after the other, each on disk before any reply, and time that passes.
 *
 * <p>Time is the wall clock's at the start and runs evenly from there, also through restarts and changes of the wall clock.
 */
final class LiveCoordinator implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LiveCoordinator.class);

    /** More listeners than this hear of changes at the next tick only: else every member that joins would be a message to all others. */
    private static final int FEW_LISTENERS = 64;

    private final Object lock = new Object();
    private final Coordinator coordinator;
    private final MembershipRules rules;
    private final CoordinatorLog journal; // null: kept in memory only
    private final long startedAt;
    private final long startedNanos = System.nanoTime();
    private final Set<Waiter<?>> waiters = new LinkedHashSet<>();
    private final Set<Consumer<Coordinator>> watchers = new LinkedHashSet<>();
    private final ScheduledExecutorService ticker;
    private final CompletableFuture<TuttiException> end = new CompletableFuture<>();
    /** What was decided but could not be written yet: until it is written, no member gets an answer. */
    private final List<Journal.Entry> unwritten = new ArrayList<>();

    private TuttiException broken;

    private record Waiter<T>(Function<Coordinator, Optional<T>> question, CompletableFuture<T> answer, long until) {
        /** Whether it need not wait longer. */
        boolean done(Coordinator coordinator, long now, List<Runnable> tell) {
            try {
                Optional<T> found = question.apply(coordinator);
                if (found.isEmpty() && now < until) {
                    return false;
                }
                tell.add(() -> answer.complete(found.orElse(null)));
            } catch (TuttiException e) {
                tell.add(() -> answer.completeExceptionally(e));
            }
            return true;
        }
    }

    LiveCoordinator(MembershipRules rules, CoordinatorLog journal) {
        this.rules = rules;
        this.journal = journal;
        this.coordinator = new Coordinator(rules);
        coordinator.runsIn(JoinRequest.process(ProcessHandle.current().pid()));
        long last = 0;
        List<Journal.Entry> entries = journal == null ? List.of() : journal.entries();
        for (Journal.Entry entry : entries) {
            entry.facts().forEach(fact -> coordinator.replay(fact, entry.at()));
            last = Math.max(last, entry.at());
        }
        this.startedAt = Math.max(last, System.currentTimeMillis());
        if (!entries.isEmpty()) {
            coordinator.resume(startedAt);
            LOG.info("The coordinator goes on where it was: {} entries of its journal", entries.size());
        }
        ticker = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "tutti-coordinator-clock");
            thread.setDaemon(true);
            return thread;
        });
        long every = Math.max(10, Math.min(rules.patience().heartbeat() / 4, 100));
        var unused = ticker.scheduleWithFixedDelay(this::tick, every, every, TimeUnit.MILLISECONDS);
    }

    MembershipRules rules() {
        return rules;
    }

    private long now() {
        return startedAt + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startedNanos);
    }

    private void tick() {
        try {
            writeUnwritten();
            apply(new Event.Tick());
        } catch (TuttiException e) {
            LOG.debug("The coordinator has stopped", e);
        } catch (RuntimeException e) {
            LOG.error("A fault in the coordinator", e);
        }
    }

    /** Lets something happen; returns what was decided when it is on disk. */
    List<Fact> apply(Event event) {
        List<Runnable> tell = new ArrayList<>();
        try {
            synchronized (lock) {
                requireWhole();
                long now = now();
                List<Fact> facts = coordinator.apply(event, now);
                facts.forEach(LiveCoordinator::log);
                if (journal != null) {
                    write(new Journal.Entry(now, facts));
                    if (journal.isLong()) {
                        journal.compact(coordinator.summary(now));
                    }
                }
                boolean tick = event instanceof Event.Tick;
                if (tick || waiters.size() <= FEW_LISTENERS) {
                    waiters.removeIf(waiter -> waiter.done(coordinator, now, tell));
                }
                // Within the lock, so that listeners hear of changes in order; sending does not wait.
                if (tick || watchers.size() <= FEW_LISTENERS) {
                    watchers.forEach(watcher -> watcher.accept(coordinator));
                }
                return facts;
            }
        } catch (FileException e) {
            stopUnlessWaiting(e);
            throw e;
        } finally {
            tell.forEach(Runnable::run);
        }
    }

    private void write(Journal.Entry entry) {
        try {
            journal.append(entry.at(), entry.facts());
        } catch (FileException e) {
            unwritten.add(entry);
            LOG.error("The coordinator refuses all calls until its journal can be written again: {}", e.getMessage());
            throw e;
        }
    }

    /** Tries again to write what was decided when there was no room for it. */
    private void writeUnwritten() {
        synchronized (lock) {
            if (unwritten.isEmpty()) {
                return;
            }
            while (!unwritten.isEmpty()) {
                Journal.Entry first = unwritten.get(0);
                journal.append(first.at(), first.facts());
                unwritten.remove(0);
            }
            LOG.info("The journal can be written again: the coordinator goes on");
        }
    }

    /** A journal of which it is not known what counts cannot be gone on with. */
    private void stopUnlessWaiting(TuttiException reason) {
        synchronized (lock) {
            if (broken == null && unwritten.isEmpty()) {
                broken = reason;
                LOG.error("The coordinator stops: {}", reason.getMessage());
                end.complete(reason);
            }
        }
    }

    /** Completes with the reason when it cannot go on. */
    CompletableFuture<TuttiException> end() {
        return end;
    }

    /** Facts are on disk before any reply: while some are not, everything is refused. */
    private void requireWhole() {
        if (broken != null) {
            throw broken;
        }
        if (!unwritten.isEmpty()) {
            throw new TuttiException("the coordinator waits until its journal can be written again: is its disk full?");
        }
    }

    /** Asks something that changes nothing. */
    <T> T ask(Function<Coordinator, T> question) {
        synchronized (lock) {
            requireWhole();
            return question.apply(coordinator);
        }
    }

    /** The same, with the time. */
    <T> T ask(BiFunction<Coordinator, Long, T> question) {
        synchronized (lock) {
            requireWhole();
            return question.apply(coordinator, now());
        }
    }

    /** Asks until there is an answer or the time is over, which gives null. */
    <T> CompletableFuture<T> await(Function<Coordinator, Optional<T>> question, long millis) {
        List<Runnable> tell = new ArrayList<>();
        Waiter<T> waiter;
        synchronized (lock) {
            requireWhole();
            long now = now();
            waiter = new Waiter<>(question, new CompletableFuture<>(), now + millis);
            if (!waiter.done(coordinator, now, tell)) {
                waiters.add(waiter);
            }
        }
        tell.forEach(Runnable::run);
        return waiter.answer;
    }

    /** Calls a listener after each decision, and once now. */
    void watch(Consumer<Coordinator> watcher) {
        synchronized (lock) {
            requireWhole();
            watchers.add(watcher);
            watcher.accept(coordinator);
        }
    }

    void unwatch(Consumer<Coordinator> watcher) {
        synchronized (lock) {
            watchers.remove(watcher);
        }
    }

    private static void log(Fact fact) {
        if (fact instanceof Fact.Joined joined) {
            LOG.info("{} has joined from {}", joined.member(), joined.host());
        } else if (fact instanceof Fact.Lost lost && lost.cause().isOrderly()) {
            LOG.info("{} has left: {}", lost.member(), lost.why());
        } else if (fact instanceof Fact.Lost lost) {
            LOG.warn("{} is gone: {}", lost.member(), lost.why());
        } else if (fact instanceof Fact.Formed formed) {
            LOG.info(
                    "Generation {}{}: {}{}",
                    formed.generation(),
                    formed.role().equals(Member.WORKER) ? "" : " of the role " + formed.role(),
                    String.join(", ", formed.members()),
                    formed.takeOver()
                            ? "; the state is taken over from "
                                    + formed.members().get(formed.source())
                            : "");
        }
    }

    @Override
    public void close() {
        ticker.shutdownNow();
        List<Waiter<?>> left;
        synchronized (lock) {
            broken = broken == null ? new TuttiException("the coordinator was closed") : broken;
            left = List.copyOf(waiters);
            waiters.clear();
            watchers.clear();
            if (journal != null) {
                journal.close();
            }
        }
        left.forEach(waiter -> waiter.answer.completeExceptionally(broken));
    }
}
