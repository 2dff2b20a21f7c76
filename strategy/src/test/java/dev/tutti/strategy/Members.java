package dev.tutti.strategy;

import dev.tutti.comm.BulletinBoard;
import dev.tutti.comm.Collectives;
import dev.tutti.comm.Group;
import dev.tutti.comm.Member;
import dev.tutti.comm.MemoryBoard;
import dev.tutti.comm.SharedMemoryCollectives;
import dev.tutti.comm.Traffic;
import dev.tutti.data.Dataset;
import dev.tutti.tensor.NdArray;
import dev.tutti.train.Fit;
import dev.tutti.train.History;
import dev.tutti.train.Trainer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** Members on threads of this JVM, each with all that a process of its own would have. */
public final class Members {
    private static final long PATIENCE_SECONDS = 120;

    private final int count;
    private int threads = 1;

    private Members(int count) {
        this.count = count;
    }

    public static Members of(int count) {
        return new Members(count);
    }

    /** Workers of each. */
    public Members threads(int workers) {
        threads = workers;
        return this;
    }

    /** What one member ends with. */
    public record Result(Map<String, NdArray> weights, History history, Traffic traffic) {}

    /** Runs a real fit on each. */
    public List<Result> fit(Supplier<Trainer> trainers, Dataset data, Fit fit) {
        BulletinBoard board = new MemoryBoard(MemoryTeam.DEADLINE);
        return run(rank -> {
            MemoryTeam team = new MemoryTeam(group(rank), board, threads);
            try (Trainer trainer = trainers.get()) {
                History history = trainer.fit(data, fit.on(work -> team));
                return new Result(trainer.model().arrays(), history, team.traffic());
            }
        });
    }

    /** Lets each do something with the collectives of the group. */
    public <T> List<T> with(Function<Collectives, T> work) {
        BulletinBoard board = new MemoryBoard(MemoryTeam.DEADLINE);
        return run(rank -> {
            try (Collectives collectives = SharedMemoryCollectives.open(group(rank), board, MemoryTeam.DEADLINE)) {
                return work.apply(collectives);
            }
        });
    }

    private Group group(int rank) {
        return new Group(
                1,
                rank,
                IntStream.range(0, count)
                        .mapToObj(i -> new Member("worker-" + i, "here"))
                        .toList());
    }

    private <T> List<T> run(Function<Integer, T> member) {
        ExecutorService pool = Executors.newFixedThreadPool(count, work -> {
            Thread thread = new Thread(work, "member");
            thread.setDaemon(true);
            return thread;
        });
        try {
            List<Future<T>> futures = new ArrayList<>();
            for (int rank = 0; rank < count; rank++) {
                int own = rank;
                futures.add(pool.submit(() -> member.apply(own)));
            }
            List<T> results = new ArrayList<>();
            for (Future<T> future : futures) {
                results.add(future.get(PATIENCE_SECONDS, TimeUnit.SECONDS));
            }
            return results;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException known) {
                throw known;
            }
            throw new AssertionError(e.getCause());
        } catch (InterruptedException | TimeoutException | CancellationException e) {
            throw new AssertionError("members did not end in time", e);
        } finally {
            pool.shutdownNow();
        }
    }
}
