package dev.tutti.comm.message;

import dev.tutti.comm.Member;
import dev.tutti.tensor.NativeMemory;
import dev.tutti.tensor.Tensor;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A link over a connection: one thread reads, and whoever has something to say writes it, or leaves it to a thread if another one
 * is writing or it is long.
 *
 * <p>Tensors are written from where they lie, and read into the memory of new tensors or into the destinations of an answer.
 */
final class SocketLink implements MessageLink {
    private static final Logger LOG = LoggerFactory.getLogger(SocketLink.class);
    private static final int READ_AHEAD = 1 << 16;
    /** What fits the buffers of a socket is written by the thread that says it. */
    private static final long SHORT = 1 << 15;

    private static final int LARGEST_PART = 1 << 30;
    /** Of a long part a piece is written at a time, so that it can be seen whether bytes still move. */
    private static final int PIECE = 8 << 20;

    private final Member peer;
    private final ByteWire wire;
    private final FrameCodec codec;
    private final LinkListener listener;
    private final Executor threads;
    private final ByteBuffer ahead = ByteBuffer.allocateDirect(READ_AHEAD).limit(0);
    private final Queue<MessageFrame> waiting = new ConcurrentLinkedQueue<>();
    private final ReentrantLock writing = new ReentrantLock();
    private final AtomicReference<String> end = new AtomicReference<>();
    /** When bytes last moved in the middle of a frame; 0 between frames. */
    private volatile long readNanos;

    private volatile long writeNanos;

    SocketLink(Member peer, ByteWire wire, FrameCodec codec, LinkListener listener, Executor threads) {
        this.peer = peer;
        this.wire = wire;
        this.codec = codec;
        this.listener = listener;
        this.threads = threads;
    }

    @Override
    public Member peer() {
        return peer;
    }

    @Override
    public void start() {
        Thread reader = new Thread(this::read, "tutti-messages-from-" + peer);
        reader.setDaemon(true);
        reader.start();
    }

    boolean isClosed() {
        return end.get() != null;
    }

    /** How long it has stood still in the middle of a frame, in nanoseconds; 0 if it has not. */
    long stalledFor() {
        long now = System.nanoTime();
        long reading = readNanos;
        long written = writeNanos;
        return Math.max(reading == 0 ? 0 : now - reading, written == 0 ? 0 : now - written);
    }

    // ---- writing

    @Override
    public void transmit(MessageFrame frame) {
        if (end.get() != null) {
            frame.release();
            return;
        }
        boolean isShort = MessageFrame.bytes(frame.body()) <= SHORT;
        waiting.add(frame);
        if (end.get() != null) {
            releaseWaiting(); // it ended meanwhile
        } else if (isShort) {
            drain();
        } else {
            drainLater();
        }
    }

    private void drainLater() {
        try {
            threads.execute(this::drain);
        } catch (RejectedExecutionException e) {
            close("closed");
        }
    }

    /** Writes what waits, unless another thread does: that one looks again before it leaves. */
    private void drain() {
        while (!waiting.isEmpty() && writing.tryLock()) {
            try {
                MessageFrame next = waiting.poll();
                while (next != null) {
                    write(next);
                    next = waiting.poll();
                }
            } finally {
                writing.unlock();
            }
        }
    }

    private void write(MessageFrame frame) {
        try {
            if (end.get() == null) {
                List<ByteBuffer> parts = new ArrayList<>();
                parts.add(codec.encode(frame));
                for (Tensor tensor : frame.body()) {
                    NativeMemory memory = NativeMemory.of(tensor);
                    for (long at = 0; at < memory.bytes(); at += LARGEST_PART) {
                        parts.add(memory.buffer(at, (int) Math.min(LARGEST_PART, memory.bytes() - at)));
                    }
                }
                writeAll(parts.toArray(ByteBuffer[]::new));
            }
        } catch (IOException | RuntimeException e) {
            close("its connection broke: " + e.getMessage());
        } finally {
            frame.release();
        }
    }

    private void writeAll(ByteBuffer[] parts) throws IOException {
        int first = 0;
        while (first < parts.length) {
            writeNanos = System.nanoTime();
            if (parts[first].remaining() > PIECE) {
                int full = parts[first].limit();
                wire.write(new ByteBuffer[] {parts[first].limit(parts[first].position() + PIECE)});
                parts[first].limit(full);
            } else {
                wire.write(Arrays.copyOfRange(parts, first, parts.length));
            }
            while (first < parts.length && !parts[first].hasRemaining()) {
                first++;
            }
        }
        writeNanos = 0;
    }

    // ---- reading

    private void read() {
        String why = "its connection broke";
        try {
            while (true) {
                readFrame();
            }
        } catch (EOFException e) {
            why = "its connection was closed";
        } catch (IOException e) {
            why = "its connection broke: " + e.getMessage();
        } catch (RuntimeException | Error e) {
            LOG.error("A message of {} could not be taken in", peer, e);
            why = "a message of it could not be taken in: " + e;
        }
        close(why);
        listener.broken(this, end.get());
        releaseWaiting();
    }

    private void releaseWaiting() {
        for (MessageFrame left = waiting.poll(); left != null; left = waiting.poll()) {
            left.release();
        }
    }

    private void readFrame() throws IOException {
        readNanos = ahead.hasRemaining() ? System.nanoTime() : 0;
        need(FrameCodec.PREFIX);
        int length = codec.headLength(ahead.getInt());
        FrameCodec.Head head;
        if (length <= READ_AHEAD) {
            need(length);
            ByteBuffer part = ahead.slice(ahead.position(), length);
            ahead.position(ahead.position() + length);
            head = codec.decode(part);
        } else {
            ByteBuffer part = ByteBuffer.allocate(length);
            while (part.hasRemaining()) {
                need(1);
                int count = Math.min(part.remaining(), ahead.remaining());
                part.put(ahead.slice(ahead.position(), count));
                ahead.position(ahead.position() + count);
            }
            head = codec.decode(part.flip());
        }
        MessageFrame frame = head.frame();
        List<Tensor> body = readBody(frame, head.tensors());
        readNanos = 0;
        listener.received(
                this,
                new MessageFrame(
                        frame.kind(),
                        frame.call(),
                        frame.term(),
                        frame.sequence(),
                        frame.limitMillis(),
                        frame.text(),
                        frame.head(),
                        body));
    }

    private List<Tensor> readBody(MessageFrame frame, List<FrameCodec.Descriptor> tensors) throws IOException {
        if (tensors.isEmpty()) {
            return List.of();
        }
        List<Tensor> wanted = frame.kind() == MessageFrame.Kind.ANSWER
                ? listener.destinations(this, frame.call())
                : List.<Tensor>of();
        List<Tensor> body = fit(wanted, tensors) ? wanted : newTensors(tensors);
        if (body != wanted) {
            wanted.forEach(Tensor::close);
        }
        try {
            for (Tensor tensor : body) {
                NativeMemory memory = NativeMemory.of(tensor);
                for (long at = 0; at < memory.bytes(); at += LARGEST_PART) {
                    fill(memory.buffer(at, (int) Math.min(LARGEST_PART, memory.bytes() - at)));
                }
            }
            return body;
        } catch (IOException | RuntimeException e) {
            body.forEach(Tensor::close);
            throw e;
        }
    }

    private static boolean fit(List<Tensor> wanted, List<FrameCodec.Descriptor> tensors) {
        boolean fits = wanted.size() == tensors.size();
        for (int i = 0; fits && i < tensors.size(); i++) {
            fits = wanted.get(i).type() == tensors.get(i).type()
                    && wanted.get(i).size() == tensors.get(i).shape().size();
        }
        return fits;
    }

    private static List<Tensor> newTensors(List<FrameCodec.Descriptor> tensors) {
        List<Tensor> made = new ArrayList<>(tensors.size());
        for (FrameCodec.Descriptor tensor : tensors) {
            made.add(Tensor.empty(tensor.shape(), tensor.type()).retain());
        }
        return made;
    }

    /** Reads until so many bytes lie ahead. */
    private void need(int bytes) throws IOException {
        if (ahead.remaining() >= bytes) {
            return;
        }
        ahead.compact();
        while (ahead.position() < bytes) {
            if (wire.read(ahead) < 0) {
                throw new EOFException();
            }
            readNanos = System.nanoTime();
        }
        ahead.flip();
    }

    private void fill(ByteBuffer target) throws IOException {
        int count = Math.min(target.remaining(), ahead.remaining());
        target.put(ahead.slice(ahead.position(), count));
        ahead.position(ahead.position() + count);
        while (target.hasRemaining()) {
            if (wire.read(target) < 0) {
                throw new EOFException();
            }
            readNanos = System.nanoTime();
        }
    }

    @Override
    public void close(String why) {
        if (end.compareAndSet(null, why)) {
            try {
                wire.close(); // the thread that reads notices it and tells the listener
            } catch (IOException e) {
                LOG.debug("the connection with {} could not be closed", peer, e);
            }
        }
    }
}
