package dev.tutti.train.feed;

import dev.tutti.comm.ChunkPreference;
import dev.tutti.comm.Leases;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Leases that a member does not wait for: a thread of its own asks for the next chunk while this one is worked on, and says which were
 * used. So the member may hold one chunk more than it works on; {@link #giveBack} gives that one back as well.
 *
 * <p>What fails on the way is thrown by the next call. Calls reach the leases behind it in the order in which they were made.
 */
public final class LeasesAhead implements Leases, AutoCloseable {
    private final Leases leases;
    private final ExecutorService thread = Executors.newSingleThreadExecutor(work -> {
        Thread daemon = new Thread(work, "tutti-leases");
        daemon.setDaemon(true);
        return daemon;
    });
    private CompletableFuture<OptionalInt> next; // null: nothing was asked for ahead
    private int epochOfNext;
    private CompletableFuture<Boolean> said = CompletableFuture.completedFuture(true);

    public LeasesAhead(Leases leases) {
        this.leases = leases;
    }

    private <T> CompletableFuture<T> later(Supplier<T> call) {
        return CompletableFuture.supplyAsync(call, thread);
    }

    private static <T> T result(CompletableFuture<T> call) {
        try {
            return call.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw e;
        }
    }

    @Override
    public void begin(int epoch, int chunks, List<Integer> used) {
        if (next != null && epochOfNext != epoch) {
            CompletableFuture<OptionalInt> asked = next;
            int before = epochOfNext;
            next = null;
            var unused = later(() -> asked.join().isPresent() && giveBackNow(before));
        }
        result(later(() -> {
            leases.begin(epoch, chunks, used);
            return true;
        }));
    }

    @Override
    public OptionalInt lease(int epoch, ChunkPreference preference) {
        requireSaid();
        OptionalInt chunk = next != null && epochOfNext == epoch
                ? takeNext()
                : result(later(() -> leases.lease(epoch, preference)));
        if (chunk.isPresent()) {
            epochOfNext = epoch;
            next = later(() -> leases.lease(epoch, preference));
        }
        return chunk;
    }

    private OptionalInt takeNext() {
        CompletableFuture<OptionalInt> asked = next;
        next = null;
        return result(asked);
    }

    @Override
    public void used(int epoch, List<Integer> chunks) {
        requireSaid();
        CompletableFuture<Boolean> before = said;
        List<Integer> all = List.copyOf(chunks);
        CompletableFuture<Boolean> now = later(() -> {
            leases.used(epoch, all);
            return true;
        });
        said = before.isDone() ? now : before.thenCombine(now, (first, second) -> true);
    }

    /** @throws RuntimeException that of a call for which no caller waited */
    private void requireSaid() {
        if (said.isCompletedExceptionally()) {
            CompletableFuture<Boolean> failed = said;
            said = CompletableFuture.completedFuture(true);
            result(failed);
        }
    }

    @Override
    public void giveBack(int epoch) {
        if (epochOfNext == epoch) {
            next = null; // it is given back with the others, as it is asked for before
        }
        said = CompletableFuture.completedFuture(
                true); // chunks whose use could not be told are divided among the members
        result(later(() -> giveBackNow(epoch)));
    }

    private boolean giveBackNow(int epoch) {
        leases.giveBack(epoch);
        return true;
    }

    @Override
    public List<Integer> used(int epoch) {
        return result(later(() -> leases.used(epoch)));
    }

    /** Says what is left to say, for at most a second; the leases behind it stay open. */
    @Override
    public void close() {
        thread.shutdown();
        try {
            if (!thread.awaitTermination(1, TimeUnit.SECONDS)) {
                thread.shutdownNow();
            }
        } catch (InterruptedException e) {
            thread.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}
