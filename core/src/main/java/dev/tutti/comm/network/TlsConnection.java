package dev.tutti.comm.network;

import dev.tutti.comm.message.TlsWire;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.TensorException;
import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection with TLS between two members, in both directions. A thread reads while elements are expected, and another writes while
 * some wait to be sent; what is short is written by the thread that sends it.
 */
final class TlsConnection {
    private static final Logger LOG = LoggerFactory.getLogger(TlsConnection.class);
    private static final int PIECE = 8 << 20;
    /** What fits the buffers of a socket, so that writing it does not wait. */
    private static final long SHORT = 16 << 10;

    private final Socket socket;
    private final TlsWire wire;
    private final Executor threads;
    private final Lane sends = new Lane(this::write);
    private final Lane receives = new Lane(this::read);
    private volatile IOException broken;

    /**
     * @param socket that of the wire, by which waiting threads are ended
     * @param threads those that read and write
     */
    TlsConnection(Socket socket, TlsWire wire, Executor threads) {
        this.socket = socket;
        this.wire = wire;
        this.threads = threads;
    }

    TlsTransfer send(Tensor values) {
        TlsTransfer transfer = new TlsTransfer("send", values);
        sends.begin(transfer, transfer.bytes() <= SHORT);
        return transfer;
    }

    TlsTransfer receive(Tensor values) {
        TlsTransfer transfer = new TlsTransfer("receive", values);
        receives.begin(transfer, false);
        return transfer;
    }

    private void write(ByteBuffer from) throws IOException {
        wire.write(new ByteBuffer[] {from});
    }

    private void read(ByteBuffer into) throws IOException {
        while (into.hasRemaining()) {
            if (wire.read(into) < 0) {
                throw new EOFException("the other side has closed the connection");
            }
        }
    }

    /** What is under way and what comes later fails. */
    void close() {
        breakOff(new IOException("the connection was closed"));
    }

    private void breakOff(IOException reason) {
        synchronized (this) {
            if (broken != null) {
                return;
            }
            broken = reason;
        }
        try {
            socket.close(); // without a last word of TLS, for which it would have to wait
        } catch (IOException e) {
            LOG.debug("a connection could not be closed", e);
        }
    }

    private interface Mover {
        void move(ByteBuffer bytes) throws IOException;
    }

    /** One direction: transfers in the order in which they were begun. */
    private final class Lane {
        private final Mover mover;
        private final Queue<TlsTransfer> waiting = new ArrayDeque<>();
        private boolean busy;

        Lane(Mover mover) {
            this.mover = mover;
        }

        void begin(TlsTransfer transfer, boolean here) {
            synchronized (this) {
                waiting.add(transfer);
                if (busy) {
                    return;
                }
                busy = true;
            }
            if (here) {
                moveAll();
                return;
            }
            try {
                threads.execute(this::moveAll);
            } catch (RejectedExecutionException e) {
                close();
                moveAll(); // all of them fail
            }
        }

        private void moveAll() {
            for (TlsTransfer next = next(); next != null; next = next()) {
                next.complete(move(next));
            }
        }

        private synchronized TlsTransfer next() {
            TlsTransfer next = waiting.poll();
            busy = next != null;
            return next;
        }

        /** Returns what it failed with, or null. */
        private Exception move(TlsTransfer transfer) {
            try {
                for (long at = 0; at < transfer.bytes(); at += PIECE) {
                    if (broken != null) {
                        return broken;
                    }
                    mover.move(transfer.piece(at, (int) Math.min(PIECE, transfer.bytes() - at)));
                }
                return null;
            } catch (IOException e) {
                breakOff(e);
                return e;
            } catch (RuntimeException e) {
                breakOff(new IOException(e));
                return e;
            }
        }
    }

    /** @throws TensorException if nothing can be sent or received any more */
    void check() {
        if (broken != null) {
            throw new TensorException("the connection broke: " + broken.getMessage(), broken);
        }
    }
}
