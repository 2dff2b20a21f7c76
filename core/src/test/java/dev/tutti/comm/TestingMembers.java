package dev.tutti.comm;

import dev.tutti.comm.memory.MemoryBoard;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

/** Members of one group as threads of this JVM, with real collectives of one kind. */
final class TestingMembers implements AutoCloseable {
    /** How a kind of collectives is opened. */
    interface Opening {
        Collectives open(Group group, BulletinBoard board, Duration timeout);
    }

    private static final long ALARM_SECONDS = 60;

    private final ExecutorService threads;
    private final List<Collectives> collectives;

    TestingMembers(Kind kind, int count, Duration timeout) {
        threads = Executors.newFixedThreadPool(count, work -> {
            Thread thread = new Thread(work, "testing-member");
            thread.setDaemon(true);
            return thread;
        });
        BulletinBoard board = new MemoryBoard(Duration.ofSeconds(30));
        List<Member> members = new ArrayList<>();
        for (int rank = 0; rank < count; rank++) {
            members.add(new Member("worker-" + rank, kind.host(rank)));
        }
        collectives = new ArrayList<>();
        List<Future<Collectives>> opening = new ArrayList<>();
        for (int rank = 0; rank < count; rank++) {
            Group group = new Group(7, rank, members);
            opening.add(threads.submit(() -> kind.open(group, board, timeout)));
        }
        opening.forEach(future -> collectives.add(get(future)));
    }

    Collectives of(int rank) {
        return collectives.get(rank);
    }

    int size() {
        return collectives.size();
    }

    /** Starts what one member does. */
    <T> Future<T> start(int rank, Function<Collectives, T> work) {
        return threads.submit(() -> work.apply(collectives.get(rank)));
    }

    /** Lets every member do something at the same time; returns what came out, by rank. */
    <T> List<T> all(Function<Collectives, T> work) {
        List<Future<T>> running = new ArrayList<>();
        for (int rank = 0; rank < size(); rank++) {
            running.add(start(rank, work));
        }
        return running.stream().map(TestingMembers::get).toList();
    }

    /** Lets every member do something that is expected to fail; returns with what, by rank (null: it did not). */
    List<Throwable> failures(Consumer<Collectives> work) {
        return all(each -> failure(() -> work.accept(each)));
    }

    static Throwable failure(Runnable work) {
        try {
            work.run();
            return null;
        } catch (RuntimeException e) {
            return e;
        }
    }

    static <T> T get(Future<T> future) {
        try {
            return future.get(ALARM_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new AssertionError(e.getCause());
        } catch (Exception e) {
            throw new AssertionError("a member did not come to an end", e);
        }
    }

    @Override
    public void close() {
        all(each -> {
            each.close();
            return null;
        });
        threads.shutdownNow();
        try {
            if (!threads.awaitTermination(ALARM_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("threads of members are still at work");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
