package dev.tutti.jobs;

import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at something again and again in a thread of its own. A look that fails is logged, and the next one follows.
 *
 * <p>Order of calls: {@link #start}, {@link #close}.
 */
public final class Watcher implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Watcher.class);
    private static final Duration LONGEST_LOOK = Duration.ofSeconds(10);

    private final Thread thread;
    private volatile boolean closed;

    private Watcher(String name, Duration interval, Runnable look) {
        thread = new Thread(() -> watch(interval, look), name);
        thread.setDaemon(true);
    }

    public static Watcher start(String name, Duration interval, Runnable look) {
        Watcher watcher = new Watcher(name, interval, look);
        watcher.thread.start();
        return watcher;
    }

    private void watch(Duration interval, Runnable look) {
        while (!closed) {
            try {
                look.run();
            } catch (RuntimeException e) {
                LOG.warn("{} failed for a moment: {}", thread.getName(), e.getMessage(), e);
            }
            try {
                Thread.sleep(interval.toMillis());
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    /** Ends after the look under way, for which it waits 10 s at most. */
    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        try {
            thread.join(LONGEST_LOOK.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
