package dev.tutti.data.stage;

import dev.tutti.data.DataException;
import dev.tutti.host.BackgroundThread;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;

/** Daemon threads, one for each core, that make rows for all readers of this JVM: decoding and augmenting images, for instance. */
public final class RowWorkers {
    private static final int THREADS = Runtime.getRuntime().availableProcessors();
    private static final ExecutorService POOL = Executors.newFixedThreadPool(THREADS, work -> {
        Thread thread = new Thread(
                () -> {
                    BackgroundThread.enter();
                    work.run();
                },
                "tutti-rows");
        thread.setDaemon(true);
        return thread;
    });

    private RowWorkers() {}

    /**
     * Makes so many things at the same time and gives them in their order. An exception is that of the first that failed.
     *
     * @throws DataException if the thread is interrupted while it waits
     */
    public static <T> List<T> make(int count, IntFunction<T> each) {
        List<Future<T>> work = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            int at = i;
            work.add(POOL.submit(() -> each.apply(at)));
        }
        List<T> made = new ArrayList<>(count);
        try {
            for (Future<T> one : work) {
                made.add(one.get());
            }
            return made;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DataException("interrupted while rows were being made", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException known) {
                throw known;
            }
            throw new IllegalStateException(e.getCause());
        } finally {
            work.forEach(one -> one.cancel(true));
        }
    }
}
