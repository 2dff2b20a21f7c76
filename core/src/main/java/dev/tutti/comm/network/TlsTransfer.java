package dev.tutti.comm.network;

import dev.tutti.comm.transport.CallDeadline;
import dev.tutti.tensor.NativeMemory;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.TensorException;
import dev.tutti.tensor.TensorLinks;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Elements on their way over a TLS connection. Their memory is held until they have moved or cannot move any more. */
final class TlsTransfer implements TensorLinks.Transfer {
    private final String what;
    private final Tensor held;
    private final NativeMemory elements;
    private boolean complete;
    private boolean givenUp;
    private Exception failure;

    TlsTransfer(String what, Tensor values) {
        this.what = what;
        held = values.detach().retain();
        elements = NativeMemory.of(held);
    }

    long bytes() {
        return elements.bytes();
    }

    ByteBuffer piece(long at, int count) {
        return elements.buffer(at, count);
    }

    /** @param reason why the elements did not move; null if they did */
    void complete(Exception reason) {
        synchronized (this) {
            failure = reason;
            complete = true;
            notifyAll();
        }
        held.close();
    }

    @Override
    public synchronized boolean await(Duration timeout) {
        long deadline = System.nanoTime() + timeout.toNanos();
        while (!complete && !givenUp) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                throw new TensorException(what + ": not done within " + timeout.toMillis() + " ms");
            }
            try {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw CallDeadline.interrupted();
            }
        }
        if (failure != null) {
            throw new TensorException(what + ": " + failure.getMessage(), failure);
        }
        return complete;
    }

    @Override
    public synchronized void abort() {
        givenUp = true;
        notifyAll();
    }

    @Override
    public void end() {
        abort();
    }
}
