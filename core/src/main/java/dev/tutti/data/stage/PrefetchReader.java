package dev.tutti.data.stage;

import dev.tutti.data.Batch;
import dev.tutti.data.BatchReader;
import dev.tutti.data.DataException;
import dev.tutti.data.Position;
import dev.tutti.host.BackgroundThread;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;

/**
 * Reads ahead on a daemon thread of its own, at most a given number of batches.
 *
 * <p>Errors come out of {@link #next} when their turn has come, and the position is that of the batch delivered last.
 * Closing wakes and ends the thread wherever it waits; a transform that does not heed an interrupt is left to finish
 * its row.
 */
public final class PrefetchReader implements BatchReader {
    private static final long CLOSE_WAIT_MILLIS = 1000;

    private final BatchReader reader;
    private final int capacity;
    private final Thread thread;
    private final Queue<Ahead> queue = new ArrayDeque<>();
    private Position position;
    private boolean closed;

    /** What was read ahead: a batch and the place behind it, the end (no batch), or an error. */
    private record Ahead(Batch batch, Position behind, Throwable error) {
        boolean isLast() {
            return batch == null;
        }
    }

    public PrefetchReader(BatchReader reader, int capacity) {
        this.reader = reader;
        this.capacity = capacity;
        this.position = reader.position();
        this.thread = new Thread(this::readAhead, "tutti-prefetch");
        thread.setDaemon(true);
        thread.start();
    }

    private void readAhead() {
        BackgroundThread.enter();
        try (reader) {
            Ahead ahead;
            do {
                ahead = read();
            } while (offer(ahead) && !ahead.isLast());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Ahead read() {
        try {
            Batch batch = reader.next().orElse(null);
            return new Ahead(batch, reader.position(), null);
        } catch (Throwable e) {
            return new Ahead(null, null, e);
        }
    }

    private synchronized boolean offer(Ahead ahead) throws InterruptedException {
        while (queue.size() >= capacity && !closed) {
            wait();
        }
        queue.add(ahead);
        notifyAll();
        return !closed;
    }

    @Override
    public synchronized Optional<Batch> next() {
        try {
            while (queue.isEmpty() && !closed) {
                wait();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DataException("interrupted while waiting for the next batch", e);
        }
        if (closed) {
            throw new IllegalStateException("the reader is closed: open the dataset again");
        }
        Ahead ahead = queue.peek();
        if (ahead.error() instanceof RuntimeException e) {
            throw e;
        }
        if (ahead.error() instanceof Error e) {
            throw e;
        }
        if (!ahead.isLast()) {
            queue.remove();
            position = ahead.behind();
            notifyAll();
        }
        return Optional.ofNullable(ahead.batch());
    }

    @Override
    public synchronized Position position() {
        return position;
    }

    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            queue.clear();
            notifyAll();
        }
        thread.interrupt();
        try {
            thread.join(CLOSE_WAIT_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
