package dev.tutti.testkit;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The last line against hangs: when it is not closed in time it writes down what every thread of this JVM and of the JVMs under it
 * is doing, kills those JVMs, and interrupts the thread that set it.
 */
public final class HangWatchdog implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HangWatchdog.class);

    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread guarded = Thread.currentThread();
    private volatile boolean rung;

    private HangWatchdog(Duration limit, String what) {
        Thread thread = new Thread(() -> guard(limit, what), "testkit-alarm");
        thread.setDaemon(true);
        thread.start();
    }

    /** @param what is going on, for the log */
    public static HangWatchdog in(Duration limit, String what) {
        return new HangWatchdog(limit, what);
    }

    private void guard(Duration limit, String what) {
        try {
            if (closed.await(limit.toNanos(), TimeUnit.NANOSECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        rung = true;
        LOG.error("{} did not end within {} s\n{}", what, limit.toSeconds(), Stacks.all());
        ChildJvms.all().forEach(ProcessHandle::destroyForcibly);
        guarded.interrupt();
    }

    /** Whether the time was over before it was closed. */
    public boolean rung() {
        return rung;
    }

    @Override
    public void close() {
        closed.countDown();
    }
}
