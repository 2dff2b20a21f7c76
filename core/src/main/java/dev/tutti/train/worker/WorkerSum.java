package dev.tutti.train.worker;

import dev.tutti.host.SpinWait;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Tensor;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Sums tensors over workers on threads of one JVM, in the middle of their passes: each gives its own and goes on when it holds the
 * sum of all, added in the order of the workers.
 *
 * <p>Order of calls: {@link #begin}; then each worker, on its thread, {@link #add} any number of times, and {@link #leave} or {@link
 * #fail} in the end. A worker that has left is not waited for, so no worker waits for ever.
 */
final class WorkerSum {
    /** Passes of workers are nearly alike, and waking a thread takes longer than most differences. */
    private static final long SPIN_NANOS = 100_000;

    private final Consumer<Tensor> beyond;
    private Tensor[] given = {};
    private int present;
    private int arrived;
    private volatile long sums;
    private volatile Throwable failure;

    /** @param beyond goes on to sum a total with those of other processes, in place; must not throw */
    WorkerSum(Consumer<Tensor> beyond) {
        this.beyond = beyond;
    }

    /** So many workers begin a pass. */
    synchronized void begin(int workers) {
        given = new Tensor[workers];
        present = workers;
        arrived = 0;
        failure = null;
    }

    /** Makes the sum of what all workers give in this turn out of what this one gives; does not throw. */
    void add(int worker, Tensor values) {
        long turn;
        boolean last;
        synchronized (this) {
            if (failure != null) {
                return; // the pass comes to nothing
            }
            turn = sums + 1;
            given[worker] = values;
            arrived++;
            last = arrived == present;
        }
        if (last) {
            sum();
        } else {
            await(turn);
        }
    }

    private void await(long turn) {
        SpinWait.nanos(SPIN_NANOS, () -> sums >= turn || failure != null);
        boolean interrupted = false;
        synchronized (this) {
            while (sums < turn && failure == null) {
                try {
                    wait();
                } catch (InterruptedException e) {
                    interrupted = true; // the others use this worker's memory: there is no leaving now
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** All that are present have given theirs: who notices does the work, without the lock. */
    private void sum() {
        try (NoGradients off = NoGradients.begin()) {
            Tensor[] all = Arrays.stream(given).filter(each -> each != null).toArray(Tensor[]::new);
            for (int i = 1; i < all.length; i++) {
                all[0].add_(all[i]);
            }
            beyond.accept(all[0]);
            for (int i = 1; i < all.length; i++) {
                all[i].copy_(all[0]);
            }
        } catch (RuntimeException | Error e) {
            fail(e);
        }
        synchronized (this) {
            Arrays.fill(given, null);
            arrived = 0;
            sums++;
            notifyAll();
        }
    }

    /** A worker's pass has ended. */
    void leave() {
        boolean complete;
        synchronized (this) {
            present--;
            complete = arrived > 0 && arrived == present;
        }
        if (complete) {
            sum();
        }
    }

    /** A worker's pass has failed: those who wait for it go on with useless numbers. */
    synchronized void fail(Throwable reason) {
        if (failure == null) {
            failure = reason;
        }
        notifyAll();
    }

    /** What failed first in this pass, or null: what others fail with comes of it. */
    Throwable failure() {
        return failure;
    }
}
