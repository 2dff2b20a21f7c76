package dev.tutti.strategy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Runs what members do side by side, with an alarm for those that do not come to an end. */
final class MemberThreads {
    static final long ALARM_SECONDS = 100;

    private MemberThreads() {}

    /** What came out, in the order of the members; what one of them threw is thrown. */
    static <T> List<T> run(List<Callable<T>> members) {
        ExecutorService pool = Executors.newFixedThreadPool(members.size(), work -> {
            Thread thread = new Thread(work, "member");
            thread.setDaemon(true);
            return thread;
        });
        try {
            List<Future<T>> running = new ArrayList<>();
            members.forEach(member -> running.add(pool.submit(member)));
            List<T> results = new ArrayList<>();
            for (Future<T> each : running) {
                results.add(each.get(ALARM_SECONDS, TimeUnit.SECONDS));
            }
            return results;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException known) {
                throw known;
            }
            throw new AssertionError(e.getCause());
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError("members did not end in time", e);
        } finally {
            pool.shutdownNow();
        }
    }
}
