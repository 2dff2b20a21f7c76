package dev.tutti.spark.node;

import dev.tutti.data.DataException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Rows that tasks of Spark hand to a node in the same JVM. The node takes batches, and for an inference gives one result for each row.
 */
public final class DataFeed {
    private static final int ROOM = 4096;
    static final Duration SILENCE = Duration.ofSeconds(600);
    private static final long POLL_MILLIS = 50;

    private final BlockingQueue<float[]> rows = new ArrayBlockingQueue<>(ROOM);
    private final BlockingQueue<float[]> results = new LinkedBlockingQueue<>();
    private final AtomicReference<String> failure = new AtomicReference<>();
    private volatile boolean ended;
    private volatile boolean terminated;

    DataFeed() {}

    /**
     * The next rows: up to so many, fewer where no more are there now, none when the feed has ended.
     */
    public List<float[]> nextBatch(int size) {
        List<float[]> batch = new ArrayList<>(size);
        try {
            while (batch.isEmpty() && !shouldStop()) {
                float[] first = rows.poll(POLL_MILLIS, TimeUnit.MILLISECONDS);
                if (first != null) {
                    batch.add(first);
                    while (batch.size() < size) {
                        float[] next = rows.poll(POLL_MILLIS, TimeUnit.MILLISECONDS);
                        if (next == null) {
                            break;
                        }
                        batch.add(next);
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return batch;
    }

    /** Whether there is nothing left to do: the cluster is shut down and all rows were taken, or the node has had enough. */
    public boolean shouldStop() {
        return terminated || ended && rows.isEmpty() || Thread.currentThread().isInterrupted();
    }

    /** The results for the rows of the last batches, in their order: one for each row. */
    public void batchResults(List<float[]> values) {
        results.addAll(values);
    }

    /** The node has had enough: rows that are still fed are dropped. */
    public void terminate() {
        terminated = true;
        rows.clear();
    }

    void end() {
        ended = true;
    }

    void fail(String why) {
        failure.compareAndSet(null, why);
        terminate();
    }

    /** Hands rows over, from a task of Spark. */
    void feed(Iterator<float[]> all) {
        while (all.hasNext()) {
            offer(all.next());
        }
    }

    private void offer(float[] row) {
        long deadline = System.nanoTime() + SILENCE.toNanos();
        try {
            while (!terminated) {
                if (rows.offer(row, POLL_MILLIS, TimeUnit.MILLISECONDS)) {
                    return;
                }
                if (System.nanoTime() > deadline) {
                    throw new DataException("the node has taken no row for " + SILENCE.toSeconds() + " s");
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DataException("interrupted while a node was fed", e);
        }
        requireSound();
    }

    private void requireSound() {
        if (failure.get() != null) {
            throw new DataException("the node on this executor has failed: " + failure.get());
        }
    }

    /** Hands rows over and waits for as many results; one task at a time. */
    synchronized Iterator<float[]> ask(Iterator<float[]> all) {
        results.clear();
        List<float[]> answers = new ArrayList<>();
        int asked = 0;
        while (all.hasNext()) {
            offer(all.next());
            asked++;
            results.drainTo(answers);
        }
        long deadline = System.nanoTime() + SILENCE.toNanos();
        try {
            while (answers.size() < asked) {
                requireSound();
                if (terminated || System.nanoTime() > deadline) {
                    throw new DataException("expected a result for each of " + asked + " rows, received "
                            + answers.size() + ": the function calls batchResults for every batch");
                }
                float[] next = results.poll(POLL_MILLIS, TimeUnit.MILLISECONDS);
                if (next != null) {
                    answers.add(next);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DataException("interrupted while a node predicted", e);
        }
        return answers.iterator();
    }
}
