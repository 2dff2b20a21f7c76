package dev.tutti.tensor.gloo;

import dev.tutti.host.CppOutput;
import dev.tutti.tensor.NativeConversions;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.TensorException;
import dev.tutti.tensor.TensorLinks;
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

/** Connections of Gloo between each two members of a group, over TCP. */
public final class GlooLinks implements TensorLinks {
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

    @Override
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

    @Override
    public Transfer send(Tensor values, int to, int tag) {
        return new GlooTransfer(
                NativeConversions.call("send", () -> kept(group.send(new TensorVector(values.handle()), to, tag))),
                true);
    }

    @Override
    public Transfer receive(Tensor values, int from, int tag) {
        return new GlooTransfer(
                NativeConversions.call("receive", () -> kept(group.recv(new TensorVector(values.handle()), from, tag))),
                false);
    }

    private static Work kept(Work work) {
        work.retainReference();
        return work;
    }

    private static final class GlooTransfer implements Transfer {
        private final Work work;
        private final boolean sends;
        private boolean ended;

        private GlooTransfer(Work work, boolean sends) {
            this.work = work;
            this.sends = sends;
        }

        @Override
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

        @Override
        public synchronized void abort() {
            if (!ended) {
                work.abort();
            }
        }

        @Override
        public synchronized void end() {
            if (!ended) {
                ended = true;
                work.releaseReference();
            }
        }
    }

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
