package dev.tutti.testkit.fault;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Slows processes down from outside: stops them for a part of the time, again and again. */
public final class SlowedProcesses implements AutoCloseable {
    private static final double PERIOD_MILLIS = 60;

    private final Signals signals;
    private final Map<Long, Thread> slowed = new ConcurrentHashMap<>();

    public SlowedProcesses(Signals signals) {
        this.signals = signals;
    }

    /** So many times as slow from now on; 1 ends it. */
    public void set(long pid, double times) {
        Thread before = slowed.remove(pid);
        if (before != null) {
            before.interrupt();
        }
        if (times > 1) {
            Thread thread = new Thread(() -> slow(pid, (long) (PERIOD_MILLIS / times)), "testkit-slow-" + pid);
            thread.setDaemon(true);
            slowed.put(pid, thread);
            thread.start();
        }
    }

    private void slow(long pid, long runMillis) {
        try {
            while (ProcessState.of(pid) != ProcessState.ENDED) {
                signals.send("STOP", pid);
                TimeUnit.MILLISECONDS.sleep((long) PERIOD_MILLIS - runMillis);
                signals.send("CONT", pid);
                TimeUnit.MILLISECONDS.sleep(runMillis);
            }
        } catch (InterruptedException e) {
            signals.send("CONT", pid);
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        slowed.keySet().forEach(pid -> set(pid, 1));
    }
}
