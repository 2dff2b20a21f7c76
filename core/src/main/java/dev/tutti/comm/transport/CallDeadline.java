package dev.tutti.comm.transport;

import dev.tutti.comm.MemberLostException;
import dev.tutti.host.RunningTime;
import dev.tutti.host.SpinWait;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * How long and how a member waits for others: never past the deadline of the call under way, and not once the group has failed. Only
 * {@linkplain RunningTime time in which this process ran} counts.
 *
 * <p>Where no other thread can wake the waiting one it spins for some microseconds, since others are usually about to come; then gives
 * its core away; then naps longer and longer, up to a millisecond.
 */
public final class CallDeadline {
    private static final int SPINS = 2000;
    private static final int YIELDS = 200;
    private static final long SHORTEST_NAP = 20_000;
    private static final long LONGEST_NAP = 1_000_000;
    /** How often a waiting member looks whether the others are still there. */
    private static final long LOOK = 5_000_000;

    private final Duration limit;
    private final AtomicReference<RuntimeException> failure = new AtomicReference<>();
    private volatile Thread waiting;
    private volatile long deadline;

    public CallDeadline(Duration limit) {
        if (limit.isNegative() || limit.isZero()) {
            throw new IllegalArgumentException("the deadline of a group must be positive: received " + limit);
        }
        this.limit = limit;
        begin();
    }

    /** A call begins. */
    void begin() {
        deadline = RunningTime.nanos() + limit.toNanos();
    }

    /** From now on every call ends with this failure; the first one counts. */
    void fail(RuntimeException reason) {
        failure.compareAndSet(null, reason);
        LockSupport.unpark(waiting);
    }

    /** Throws what the group has failed with, if it has. */
    public void check() {
        RuntimeException reason = failure.get();
        if (reason != null) {
            throw reason;
        }
    }

    boolean hasFailed() {
        return failure.get() != null;
    }

    /** What is left of the deadline, at least zero. */
    public Duration left() {
        return Duration.ofNanos(Math.max(0, deadline - RunningTime.nanos()));
    }

    Duration limit() {
        return limit;
    }

    /** The limit in words: {@code 5 s} or {@code 300 ms}. */
    public String inWords() {
        return limit.toMillis() % 1000 == 0 ? limit.toSeconds() + " s" : limit.toMillis() + " ms";
    }

    /** What a waiting member does from time to time. */
    public interface Lookout {
        /** Throws when what is waited for cannot come any more. */
        void look();

        /** What to throw at the deadline. */
        RuntimeException late();
    }

    /** Waits until something has come true. */
    public void await(BooleanSupplier done, Lookout lookout) {
        if (SpinWait.times(SPINS, done)) {
            return;
        }
        for (int i = 0; i < YIELDS; i++) {
            if (done.getAsBoolean()) {
                return;
            }
            Thread.yield();
        }
        nap(done, lookout);
    }

    private void nap(BooleanSupplier done, Lookout lookout) {
        waiting = Thread.currentThread();
        try {
            long nap = SHORTEST_NAP;
            long lookAt = RunningTime.nanos();
            while (!done.getAsBoolean()) {
                check();
                long now = RunningTime.nanos();
                if (now >= lookAt) {
                    lookout.look();
                    lookAt = now + LOOK;
                }
                if (now >= deadline) {
                    if (done.getAsBoolean()) {
                        return;
                    }
                    throw lookout.late();
                }
                if (Thread.interrupted()) {
                    Thread.currentThread().interrupt();
                    throw interrupted();
                }
                LockSupport.parkNanos(this, nap);
                nap = Math.min(LONGEST_NAP, nap + nap / 4);
            }
        } finally {
            waiting = null;
        }
    }

    public static MemberLostException interrupted() {
        return new MemberLostException(
                java.util.List.of(), "the thread was interrupted while it waited for other members");
    }
}
