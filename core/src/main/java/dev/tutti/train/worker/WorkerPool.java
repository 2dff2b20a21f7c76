package dev.tutti.train.worker;

import dev.tutti.host.SpinWait;
import dev.tutti.tensor.Engine;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;

/**
 * Threads that do pieces of work side by side with the caller, again and again, with little delay between the pieces.
 *
 * <p>Threads that wait spin before they go to sleep ({@link SpinWait}): waking one takes longer than a step of a small model. The caller
 * does the first share itself. A pool belongs to one caller at a time.
 */
final class WorkerPool implements AutoCloseable {
    /** Longer than the pauses between the pieces of a small model's step; too short to take a core from other threads. */
    private static final long LEAST_SPIN_NANOS = 50_000;

    /**
     * Where each has a core of its own, up to such a part of what the last piece took: pauses are longer in longer steps, and on a machine
     * that others use as well one member may lose some milliseconds in any of them.
     */
    private static final int SPIN_PART = 8;

    private static final long MOST_SPIN_NANOS = 5_000_000;

    private final List<Mate> mates = new ArrayList<>();
    private final long mostSpin;
    private volatile long spin = LEAST_SPIN_NANOS;

    WorkerPool(int size, String name) {
        mostSpin = size > Engine.cores() ? LEAST_SPIN_NANOS : MOST_SPIN_NANOS;
        for (int i = 1; i < size; i++) {
            Mate mate = new Mate(i, name + "-" + i);
            mates.add(mate);
            mate.start();
        }
    }

    int size() {
        return mates.size() + 1;
    }

    /** Does the work of every member of the pool and returns when all of it is done; the first failure comes out. */
    void together(IntConsumer work) {
        together(size(), work);
    }

    /** The same for the first members only. */
    void together(int members, IntConsumer work) {
        List<Mate> busy = mates.subList(0, Math.max(0, members - 1));
        Thread caller = Thread.currentThread();
        busy.forEach(mate -> mate.begin(work, caller));
        Throwable failure = null;
        long began = System.nanoTime();
        try {
            if (members > 0) {
                work.accept(0);
            }
        } catch (RuntimeException | Error e) {
            failure = e;
        }
        long part = (System.nanoTime() - began) / SPIN_PART;
        // A short piece between long ones, such as an update, does not make the pauses shorter.
        spin = Math.max(LEAST_SPIN_NANOS, Math.min(mostSpin, Math.max(part, spin - spin / SPIN_PART)));
        for (Mate mate : busy) {
            Throwable theirs = mate.await();
            failure = failure == null ? theirs : failure;
        }
        if (failure instanceof Error error) {
            throw error;
        }
        if (failure != null) {
            throw (RuntimeException) failure;
        }
    }

    /** Waits for something that another member is about to bring about, as long as that is better than to sleep; says whether it came. */
    boolean spinUntil(BooleanSupplier came) {
        return SpinWait.nanos(spin, came);
    }

    /** Lets the threads end. Closing twice does nothing. */
    @Override
    public void close() {
        mates.forEach(Mate::end);
    }

    /** One thread and the place where its next piece of work is laid down; the place is empty again when that is done. */
    private final class Mate implements Runnable {
        private static final IntConsumer END = member -> {};

        private final int member;
        private final Thread thread;
        private volatile IntConsumer work;
        private volatile boolean asleep;
        private volatile boolean callerAsleep;
        private Thread caller; // this and the next are handed over by writing and reading the work
        private Throwable failure;

        Mate(int member, String name) {
            this.member = member;
            thread = new Thread(this, name);
            thread.setDaemon(true);
        }

        void start() {
            thread.start();
        }

        void begin(IntConsumer piece, Thread from) {
            caller = from;
            failure = null;
            work = piece;
            if (asleep) {
                LockSupport.unpark(thread);
            }
        }

        @Override
        public void run() {
            while (true) {
                if (!spinUntil(() -> work != null)) {
                    asleep = true;
                    while (work == null) {
                        LockSupport.park(this);
                    }
                    asleep = false;
                }
                IntConsumer piece = work;
                if (piece == END) {
                    return;
                }
                try {
                    piece.accept(member);
                } catch (RuntimeException | Error e) {
                    failure = e;
                }
                Thread waiting = caller;
                work = null;
                if (callerAsleep) {
                    LockSupport.unpark(waiting);
                }
            }
        }

        /** Waits for the end of the work, also when the caller is interrupted: its tensors are still in use. */
        Throwable await() {
            if (!spinUntil(() -> work == null)) {
                boolean interrupted = false;
                callerAsleep = true;
                while (work != null) {
                    LockSupport.park(this);
                    interrupted |= Thread.interrupted();
                }
                callerAsleep = false;
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
            return failure;
        }

        void end() {
            work = END;
            LockSupport.unpark(thread);
        }
    }
}
