package dev.tutti.tensor.gloo;

import dev.tutti.host.CppOutput;
import dev.tutti.tensor.NativeConversions;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.TensorException;
import java.net.InetAddress;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.OptionalInt;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.javacpp.chrono.Milliseconds;
import org.bytedeco.pytorch.GlooDeviceVector;
import org.bytedeco.pytorch.ProcessGroupGloo;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.Work;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connections of Gloo between each two members of a group, over TCP.
 *
 * <p>Transfers with the same tag between the same two members arrive in the order in which they were begun, and sender and
 * receiver have to mean the same number of bytes. One thread at a time, but for {@link Transfer#abort}.
 */
public final class GlooLinks implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(GlooLinks.class);
    private static final Duration TO_CLOSE = Duration.ofSeconds(5);

    private final ProcessGroupGloo group;
    private final byte[] announcement;
    private boolean closed;

    private GlooLinks(ProcessGroupGloo group, byte[] announcement) {
        this.group = group;
        this.announcement = announcement;
    }

    /**
     * Connects with all others; every member calls it.
     *
     * @param store one that no other group uses
     * @param address where this member listens
     * @throws TensorException if not all came in time
     */
    public static GlooLinks connect(GlooStore store, int rank, int size, InetAddress address, Duration timeout) {
        return NativeConversions.call("connecting the members", () -> {
            try (PointerScope scope = new PointerScope()) {
                var options = ProcessGroupGloo.Options.create(new Milliseconds(Math.max(1, timeout.toMillis())));
                options.devices(
                        new GlooDeviceVector(ProcessGroupGloo.createDeviceForHostname(address.getHostAddress())));
                options.threads(1); // they would serve collectives of Gloo's own, which are not used
                ProcessGroupGloo group =
                        CppOutput.silenced(() -> new ProcessGroupGloo(store.store(), rank, size, options));
                group.retainReference();
                return new GlooLinks(group, store.announcement(rank, timeout));
            }
        });
    }

    /**
     * Closes the port on which this member listens to further connections. To be called when all members are connected.
     */
    public void refuseNewConnections() {
        port().ifPresentOrElse(
                        ListeningSocket::refuseOn,
                        () -> log.debug("Gloo announces its port in a way that is not known"));
    }

    /** Of an announcement: the length of the host's name, the name, the length of a socket address, the address. */
    private OptionalInt port() {
        ByteBuffer bytes = ByteBuffer.wrap(announcement).order(ByteOrder.nativeOrder());
        try {
            long name = bytes.getLong();
            bytes.position(Math.toIntExact(Math.addExact(bytes.position(), name)));
            long length = bytes.getLong();
            short family = bytes.getShort();
            int port = bytes.order(ByteOrder.BIG_ENDIAN).getShort() & 0xffff;
            boolean known = length > 4 && (family == 2 || family == 10) && port > 0;
            return known ? OptionalInt.of(port) : OptionalInt.empty();
        } catch (IllegalArgumentException | ArithmeticException | BufferUnderflowException e) {
            return OptionalInt.empty();
        }
    }

    public Transfer send(Tensor values, int to, int tag) {
        return new Transfer(
                NativeConversions.call("send", () -> kept(group.send(new TensorVector(values.handle()), to, tag))),
                true);
    }

    public Transfer receive(Tensor values, int from, int tag) {
        return new Transfer(
                NativeConversions.call("receive", () -> kept(group.recv(new TensorVector(values.handle()), from, tag))),
                false);
    }

    private static Work kept(Work work) {
        work.retainReference();
        return work;
    }

    /** Elements on their way. */
    public static final class Transfer {
        private final Work work;
        private final boolean sends;
        private boolean ended;

        private Transfer(Work work, boolean sends) {
            this.work = work;
            this.sends = sends;
        }

        /**
         * Waits until the elements are there.
         *
         * @return false if it was aborted or has ended before
         * @throws TensorException if the connection broke or time was up
         */
        public boolean await(Duration timeout) {
            if (hasEnded()) {
                return false;
            }
            try (PointerScope scope = new PointerScope()) {
                return NativeConversions.call(
                        sends ? "send" : "receive",
                        () -> work._wait(new Milliseconds(Math.max(1, timeout.toMillis()))));
            } finally {
                end();
            }
        }

        private synchronized boolean hasEnded() {
            return ended;
        }

        /** Ends the waiting, now or when it begins; by any thread. */
        public synchronized void abort() {
            if (!ended) {
                work.abort();
            }
        }

        /** Gives up what was begun. */
        public synchronized void end() {
            if (!ended) {
                ended = true;
                work.releaseReference();
            }
        }
    }

    /** Ends the connections; within a deadline, also if the other side does not answer. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        Thread closing = new Thread(group::releaseReference, "tutti-gloo-close");
        closing.setDaemon(true);
        closing.start();
        try {
            closing.join(TO_CLOSE.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (closing.isAlive()) {
            log.warn("connections to other members did not close within {} s and are left open", TO_CLOSE.toSeconds());
        }
    }
}
