package dev.tutti.cluster.launch;

import dev.tutti.comm.GroupChangedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Members that are threads of this JVM.
 *
 * <p>Order of calls: {@link #start} for each, then {@link #close}, which asks those that still train to stop and waits for them.
 */
final class MemberThreads implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MemberThreads.class);
    /** All have done their last step by then; what is left is to end. */
    private static final Duration TO_END = Duration.ofSeconds(10);

    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean stopping;

    /** What a member does, until it is asked to stop. */
    interface Work {
        void run(BooleanSupplier stop);
    }

    void start(String name, Work work) {
        Thread thread = new Thread(() -> run(name, work), "tutti-" + name);
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    private void run(String name, Work work) {
        try {
            work.run(() -> stopping);
        } catch (GroupChangedException e) {
            LOG.info("{} has lost the others: {}", name, e.getMessage());
        } catch (RuntimeException | Error e) {
            if (stopping) {
                LOG.debug("{} was stopped", name, e);
            } else {
                LOG.error("{} has failed", name, e);
            }
        }
    }

    @Override
    public void close() {
        stopping = true;
        long deadline = System.nanoTime() + TO_END.toNanos();
        boolean interrupted = false;
        for (Thread thread : threads) {
            try {
                thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
            } catch (InterruptedException e) {
                interrupted = true;
            }
            if (thread.isAlive()) {
                LOG.warn("{} did not end within {} s and is interrupted", thread.getName(), TO_END.toSeconds());
                thread.interrupt();
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
