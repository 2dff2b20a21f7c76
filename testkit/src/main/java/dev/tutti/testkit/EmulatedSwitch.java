package dev.tutti.testkit;

import com.sun.jna.Function;
import com.sun.jna.Memory;
import com.sun.jna.NativeLibrary;
import dev.tutti.TuttiException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A switch between hosts that is a part of this process: every host has a TAP device, and frames reach the other side after the time that
 * the {@link LinkShape}s of both hosts give them. For kernels that cannot delay packets themselves.
 *
 * <p>A frame leaves when the sender's link is free, arrives when the receiver's link has carried it, and takes the delay of the sender
 * on top. Frames to a card that no host has arrive nowhere.
 */
final class EmulatedSwitch implements AutoCloseable {
    /** Large frames, so that few of them make up a fast link. */
    static final int MTU = 60_000;

    private static final String DEVICE = "/dev/net/tun";
    private static final int READ_WRITE_WITHOUT_WAITING = 02 | 04000;
    private static final long SET_INTERFACE = 0x400454caL;
    private static final short TAP_WITHOUT_HEADER = 0x1002;
    private static final int INTERFACE_REQUEST_BYTES = 40;
    private static final int ADDRESS_BYTES = 6;
    private static final int FRAME_BYTES = MTU + 64;
    private static final int POLL_BYTES = 8;
    private static final short READABLE = 1;
    private static final int LOOK_MILLIS = 100;
    private static final long SEED = 1;

    private final NativeLibrary c = NativeLibrary.getInstance("c");
    private final Function read = c.getFunction("read");
    private final Function write = c.getFunction("write");
    private final Function poll = c.getFunction("poll");
    private final List<Port> ports = new ArrayList<>();
    private final List<Thread> readers = new ArrayList<>();
    private final Map<Long, Port> byAddress = new HashMap<>();
    private final PriorityQueue<Frame> underWay = new PriorityQueue<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Random random = new Random(SEED);
    private final Thread deliverer = new Thread(this::deliver, "testkit-switch");
    private long count;
    private boolean closed;

    /** One host's end. Times are those of {@link System#nanoTime}. */
    private static final class Port {
        private final int descriptor;
        private LinkShape link = LinkShape.megabits(0);
        private long sendsUntil = System.nanoTime();
        private long receivesUntil = System.nanoTime();

        private Port(int descriptor) {
            this.descriptor = descriptor;
        }

        private long nanos(int bytes) {
            return link.megabits() == 0 ? 0 : Math.round(bytes * 8e3 / link.megabits());
        }
    }

    private record Frame(long at, long order, Port to, byte[] bytes) implements Comparable<Frame> {
        @Override
        public int compareTo(Frame other) {
            int byTime = Long.compare(at - other.at, 0);
            return byTime != 0 ? byTime : Long.compare(order, other.order);
        }
    }

    EmulatedSwitch() {
        deliverer.setDaemon(true);
        deliverer.start();
    }

    /**
     * Makes a device in the namespace of this process, to be moved to its host.
     *
     * @param device its name
     * @throws TuttiException if the kernel has no TAP devices
     */
    void addPort(String device) {
        int descriptor = c.getFunction("open").invokeInt(new Object[] {DEVICE, READ_WRITE_WITHOUT_WAITING});
        try (Memory request = new Memory(INTERFACE_REQUEST_BYTES)) {
            request.clear();
            request.setString(0, device);
            request.setShort(16, TAP_WITHOUT_HEADER);
            int done = descriptor < 0
                    ? -1
                    : c.getFunction("ioctl").invokeInt(new Object[] {descriptor, SET_INTERFACE, request});
            if (done < 0) {
                throw new TuttiException("a TAP device cannot be made with " + DEVICE);
            }
        }
        Port port = new Port(descriptor);
        ports.add(port);
        Thread reader = new Thread(() -> receive(port), "testkit-switch-" + device);
        reader.setDaemon(true);
        readers.add(reader);
        reader.start();
    }

    void shape(int port, LinkShape link) {
        lock.lock();
        try {
            ports.get(port).link = link;
        } finally {
            lock.unlock();
        }
    }

    /** A descriptor is closed by the thread that reads from it, so that it never reads from another file of the same number. */
    private void receive(Port from) {
        try (Memory buffer = new Memory(FRAME_BYTES);
                Memory waited = new Memory(POLL_BYTES)) {
            while (!isClosed()) {
                int length = read.invokeInt(new Object[] {from.descriptor, buffer, FRAME_BYTES});
                if (length > 0) {
                    send(from, buffer.getByteArray(0, length));
                    continue;
                }
                waited.clear();
                waited.setInt(0, from.descriptor);
                waited.setShort(4, READABLE);
                poll.invokeInt(new Object[] {waited, 1L, LOOK_MILLIS});
                if ((waited.getShort(6) & ~READABLE) != 0) {
                    TimeUnit.MILLISECONDS.sleep(1); // the device is not up
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            c.getFunction("close").invokeInt(new Object[] {from.descriptor});
        }
    }

    private boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    private void send(Port from, byte[] frame) {
        lock.lock();
        try {
            byAddress.put(address(frame, ADDRESS_BYTES), from);
            long left = Math.max(System.nanoTime(), from.sendsUntil) + from.nanos(frame.length);
            from.sendsUntil = left;
            if (random.nextDouble() * 100 < from.link.lossPercent()) {
                return;
            }
            boolean toAll = (frame[0] & 1) == 1;
            for (Port to : toAll ? ports : receiver(frame)) {
                if (to != from) {
                    long arrived = Math.max(left, to.receivesUntil + to.nanos(frame.length));
                    to.receivesUntil = arrived;
                    boolean overtakes = random.nextDouble() * 100 < from.link.reorderPercent();
                    long delay = overtakes ? 0 : Math.round(from.link.delayMillis() * 1e6);
                    underWay.add(new Frame(arrived + delay, count++, to, frame));
                }
            }
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    private List<Port> receiver(byte[] frame) {
        Port known = byAddress.get(address(frame, 0));
        return known == null ? List.of() : List.of(known);
    }

    private static long address(byte[] frame, int at) {
        long address = 0;
        for (int i = 0; i < ADDRESS_BYTES; i++) {
            address = address << 8 | frame[at + i] & 0xff;
        }
        return address;
    }

    private void deliver() {
        try (Memory buffer = new Memory(FRAME_BYTES)) {
            while (true) {
                Frame next = due();
                if (next == null) {
                    return;
                }
                buffer.write(0, next.bytes, 0, next.bytes.length);
                write.invokeInt(new Object[] {next.to.descriptor, buffer, next.bytes.length});
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The next frame when its time has come; null when the switch is closed. */
    private Frame due() throws InterruptedException {
        lock.lock();
        try {
            while (!closed) {
                Frame next = underWay.peek();
                if (next == null) {
                    changed.await();
                    continue;
                }
                long left = next.at - System.nanoTime();
                if (left <= 0) {
                    return underWay.poll();
                }
                changed.awaitNanos(left);
            }
            return null;
        } finally {
            lock.unlock();
        }
    }

    /** Takes the devices away. */
    @Override
    public void close() {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        for (Thread reader : readers) {
            try {
                reader.join(TimeUnit.SECONDS.toMillis(2));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
