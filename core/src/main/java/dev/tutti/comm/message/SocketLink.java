package dev.tutti.comm.message;

import dev.tutti.array.DType;
import dev.tutti.array.Shape;
import dev.tutti.comm.Member;
import dev.tutti.tensor.NativeMemory;
import dev.tutti.tensor.Tensor;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A link over a connection: one thread reads, and the caller of a send writes it, or leaves it to a thread if another one
 * is writing or it is long.
 *
 * <p>Tensors are written from where they lie, and read into the memory of new tensors or into the destinations of an answer. Between
 * processes of one machine they go through {@link LinkMemory} where it has room.
 */
final class SocketLink implements MessageLink {
    private static final Logger LOG = LoggerFactory.getLogger(SocketLink.class);
    /** What fits the buffers of a socket is written by the thread that says it. */
    private static final long SHORT = LinkMemory.SHORTEST;

    private static final int LARGEST_PART = 1 << 30;
    /** Of a long part a piece is written at a time, so that it can be seen whether bytes still move. */
    private static final int PIECE = 8 << 20;

    private final Member peer;
    private final ByteWire wire;
    private final FrameCodec codec;
    private final LinkListener listener;
    private final Executor threads;
    private final LinkMemory memory;
    private final FrameReader reader;
    private final Queue<MessageFrame> waiting = new ConcurrentLinkedQueue<>();
    private final ReentrantLock writing = new ReentrantLock();
    private final AtomicReference<String> end = new AtomicReference<>();
    /** When bytes were last written in the middle of a frame; 0 between frames. */
    private volatile long writeNanos;

    SocketLink(
            Member peer, ByteWire wire, FrameCodec codec, LinkListener listener, Executor threads, LinkMemory memory) {
        this.peer = peer;
        this.wire = wire;
        this.codec = codec;
        this.reader = new FrameReader(wire, codec);
        this.listener = listener;
        this.threads = threads;
        this.memory = memory;
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
        long reading = reader.movedNanos();
        long written = writeNanos;
        return Math.max(reading == 0 ? 0 : now - reading, written == 0 ? 0 : now - written);
    }

    /** The messages whose tensors came through shared memory. */
    long takenFromMemory() {
        return memory.taken();
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
            later(this::drain);
        }
    }

    @Override
    public Optional<Tensor> lend(DType type, Shape shape) {
        return end.get() == null ? memory.lend(type, shape) : Optional.empty();
    }

    private void later(Runnable work) {
        try {
            threads.execute(work);
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
                FrameCodec.Place place = memory.put(frame.body());
                parts.add(codec.encode(frame, place));
                if (!place.isShared()) {
                    addElements(frame.body(), parts);
                }
                writeAll(parts.toArray(ByteBuffer[]::new));
            }
        } catch (IOException | RuntimeException e) {
            close("its connection broke: " + e.getMessage());
        } finally {
            frame.release();
        }
    }

    private void addElements(List<Tensor> body, List<ByteBuffer> parts) {
        for (Tensor tensor : body) {
            NativeMemory elements = NativeMemory.of(tensor);
            for (long at = 0; at < elements.bytes(); at += LARGEST_PART) {
                parts.add(elements.buffer(at, (int) Math.min(LARGEST_PART, elements.bytes() - at)));
            }
        }
        if (memory.wants(body)) { // for the next one
            long bytes = SharedBlocks.bytes(body);
            later(() -> memory.make(bytes).ifPresent(this::transmit));
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
        memory.close();
        releaseWaiting();
    }

    private void releaseWaiting() {
        for (MessageFrame left = waiting.poll(); left != null; left = waiting.poll()) {
            left.release();
        }
    }

    private void readFrame() throws IOException {
        FrameCodec.Head head = reader.head();
        MessageFrame frame = head.frame();
        List<Tensor> body = readBody(head);
        reader.done();
        if (frame.kind() == MessageFrame.Kind.SHARE || frame.kind() == MessageFrame.Kind.SHARED) {
            body.forEach(Tensor::close);
            memory.heard(frame).ifPresent(answer -> later(() -> transmit(answer))); // reading never waits
            return;
        }
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

    private List<Tensor> readBody(FrameCodec.Head head) throws IOException {
        MessageFrame frame = head.frame();
        List<FrameCodec.Descriptor> tensors = head.tensors();
        if (tensors.isEmpty()) {
            return List.of();
        }
        List<Tensor> wanted = frame.kind() == MessageFrame.Kind.ANSWER
                ? listener.destinations(this, frame.call())
                : List.<Tensor>of();
        boolean fits = fit(wanted, tensors);
        if (!fits) {
            wanted.forEach(Tensor::close);
        }
        if (head.place().isShared()) {
            return take(head, fits ? Optional.of(wanted) : Optional.empty());
        }
        List<Tensor> body = fits ? wanted : newTensors(tensors);
        try {
            for (Tensor tensor : body) {
                NativeMemory elements = NativeMemory.of(tensor);
                for (long at = 0; at < elements.bytes(); at += LARGEST_PART) {
                    reader.fill(elements.buffer(at, (int) Math.min(LARGEST_PART, elements.bytes() - at)));
                }
            }
            return body;
        } catch (IOException | RuntimeException e) {
            body.forEach(Tensor::close);
            throw e;
        }
    }

    private List<Tensor> take(FrameCodec.Head head, Optional<List<Tensor>> wanted) throws IOException {
        try {
            return memory.take(head.place(), head.tensors(), wanted);
        } catch (IOException | RuntimeException e) {
            wanted.ifPresent(tensors -> tensors.forEach(Tensor::close));
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
