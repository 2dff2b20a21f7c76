package dev.tutti.serve.batch;

import dev.tutti.array.NdArray;
import dev.tutti.serve.ServeException;
import dev.tutti.serve.ServeException.Reason;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Computes requests of one version of a model in batches, on one thread for each replica.
 *
 * <p>Order of calls: {@link #submit} any number of times, from any thread, then {@link #close}. Requests are taken in their order.
 * Those that were cancelled, or whose deadline has passed, are dropped when a batch is taken. A batch holds requests of this batcher
 * alone, so versions never mix. An answer does not depend on what else was in its batch, but for the order of float additions.
 */
public final class DynamicBatcher implements AutoCloseable {
    private final BatchingSettings settings;
    private final BatchListener listener;
    private final BatchDelay delay;
    private final List<Thread> threads = new ArrayList<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Deque<QueuedRequest> queue = new ArrayDeque<>();
    private int queuedRows;
    private int computingRows;
    private boolean closed;

    /** Starts a daemon thread for each replica. */
    public DynamicBatcher(
            String name, BatchingSettings settings, List<BatchFunction> replicas, BatchListener listener) {
        this.settings = settings;
        this.listener = listener;
        this.delay = new BatchDelay(settings);
        for (int i = 0; i < replicas.size(); i++) {
            BatchFunction replica = replicas.get(i);
            Thread thread = new Thread(() -> work(replica), "serve " + name + " " + i);
            thread.setDaemon(true);
            threads.add(thread);
        }
        threads.forEach(Thread::start);
    }

    /**
     * Hands in a request.
     *
     * @param limit the time it has; the answer fails with {@link Reason#DEADLINE} if it was not begun by then
     * @return the outputs; cancelling it drops the request if it was not begun
     * @throws ServeException if the queue is full ({@link Reason#OVERLOADED}) or the batcher is closed
     */
    public CompletableFuture<List<NdArray>> submit(List<NdArray> inputs, Duration limit) {
        int rows = Math.toIntExact(inputs.get(0).shape().dim(0));
        long now = System.nanoTime();
        QueuedRequest request = new QueuedRequest(inputs, rows, now, now + limit.toNanos(), new CompletableFuture<>());
        lock.lock();
        try {
            if (closed) {
                throw new ServeException(Reason.UNAVAILABLE, "the version of the model has been closed");
            }
            if (queuedRows > 0 && queuedRows + rows > settings.queueRows()) {
                throw overloaded(rows);
            }
            queue.add(request);
            queuedRows += rows;
            changed.signal();
        } finally {
            lock.unlock();
        }
        return request.answer();
    }

    private ServeException overloaded(int rows) {
        double seconds = Math.max(0.05, delay.secondsFor(queuedRows + computingRows, threads.size()));
        return ServeException.overloaded(
                String.format(
                        Locale.ROOT,
                        "the model is overloaded: %d rows wait, %d more came, %d may wait. Try again in %.2f s",
                        queuedRows,
                        rows,
                        settings.queueRows(),
                        seconds),
                seconds);
    }

    /** Rows that wait. */
    public int queuedRows() {
        lock.lock();
        try {
            return queuedRows;
        } finally {
            lock.unlock();
        }
    }

    private void work(BatchFunction replica) {
        for (RowBatch batch = take(); batch != null; batch = take()) {
            long began = System.nanoTime();
            batch.compute(replica, settings.maxRows());
            long nanos = System.nanoTime() - began;
            lock.lock();
            try {
                computingRows -= batch.rows();
                delay.computed(nanos);
            } finally {
                lock.unlock();
            }
            listener.computed(batch.rows(), batch.requests(), nanos / 1e9);
        }
    }

    /** The next batch; null when the batcher is closed. */
    private RowBatch take() {
        lock.lock();
        try {
            while (true) {
                dropStale();
                if (closed) {
                    return null;
                }
                if (queue.isEmpty()) {
                    changed.await();
                    continue;
                }
                long left = queue.peek().arrived() + delay.nanos() - System.nanoTime();
                if (left > 0 && queuedRows < delay.target()) {
                    changed.awaitNanos(left);
                    continue;
                }
                return gathered();
            }
        } catch (InterruptedException e) {
            return null; // close() interrupts threads that do not end by themselves
        } finally {
            lock.unlock();
        }
    }

    private RowBatch gathered() {
        delay.taken(queuedRows + computingRows);
        List<QueuedRequest> taken = new ArrayList<>();
        int rows = 0;
        long now = System.nanoTime();
        while (!queue.isEmpty()) {
            QueuedRequest next = queue.peek();
            if (drop(next, now)) {
                continue;
            }
            boolean first = taken.isEmpty();
            if (!first && (rows + next.rows() > settings.maxRows() || !next.fits(taken.get(0)))) {
                break;
            }
            queue.remove();
            queuedRows -= next.rows();
            rows += next.rows();
            taken.add(next);
        }
        computingRows += rows;
        if (!queue.isEmpty()) {
            changed.signal();
        }
        return new RowBatch(taken);
    }

    private void dropStale() {
        long now = System.nanoTime();
        while (!queue.isEmpty() && drop(queue.peek(), now)) {
            continue;
        }
    }

    /** Removes the head of the queue if nothing is to be computed for it. */
    private boolean drop(QueuedRequest head, long now) {
        boolean due = head.isDue(now);
        if (!due && !head.answer().isDone()) {
            return false;
        }
        queue.remove();
        queuedRows -= head.rows();
        if (due) {
            head.answer()
                    .completeExceptionally(new ServeException(
                            Reason.DEADLINE,
                            "the request waited "
                                    + TimeUnit.NANOSECONDS.toMillis(now - head.arrived())
                                    + " ms, until its deadline, and was not begun"));
        }
        return true;
    }

    /** Refuses new requests, fails those that wait, and returns when the threads have ended, after 10 s at most. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            queue.forEach(request -> request.answer()
                    .completeExceptionally(
                            new ServeException(Reason.UNAVAILABLE, "the version of the model has been closed")));
            queue.clear();
            queuedRows = 0;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        for (Thread thread : threads) {
            try {
                thread.join(10_000);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
