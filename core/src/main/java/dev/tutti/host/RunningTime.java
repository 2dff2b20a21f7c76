package dev.tutti.host;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A clock that only counts time in which this process ran. What passes while it is stopped, swapped out or collects garbage is no time
 * that others kept it waiting, so deadlines for others are measured by it.
 *
 * <p>A thread looks at the time every 50 ms. When it did not for longer than 250 ms, the process did not run: what lies beyond is not
 * counted.
 */
public final class RunningTime {
    private static final long LOOK = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(250);

    private static volatile Look last = new Look(System.nanoTime(), 0);

    static {
        Thread thread = new Thread(RunningTime::look, "tutti-running-time");
        thread.setDaemon(true);
        thread.start();
    }

    /** @param real of the machine's clock, in nanoseconds @param counted of this one */
    private record Look(long real, long counted) {
        long at(long now) {
            return counted + Math.min(now - real, LONGEST_PAUSE);
        }
    }

    private RunningTime() {}

    private static void look() {
        while (true) {
            long now = System.nanoTime();
            last = new Look(now, last.at(now));
            LockSupport.parkNanos(LOOK);
        }
    }

    /** Nanoseconds since some moment; only differences say something. Never falls. */
    public static long nanos() {
        return last.at(System.nanoTime());
    }

    /** Milliseconds since an earlier value of {@link #nanos}. */
    public static long millisSince(long earlier) {
        return TimeUnit.NANOSECONDS.toMillis(nanos() - earlier);
    }
}
