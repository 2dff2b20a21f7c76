package dev.tutti.tensor.gloo;

import dev.tutti.host.CppOutput;
import dev.tutti.tensor.NativeConversions;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.TensorException;
import java.net.InetAddress;
import java.time.Duration;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.javacpp.chrono.Milliseconds;
import org.bytedeco.pytorch.GlooDeviceVector;
import org.bytedeco.pytorch.ProcessGroupGloo;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.Work;

/**
 * Connections of Gloo between each two members of a group, over TCP.
 *
 * <p>Transfers with the same tag between the same two members arrive in the order in which they were begun, and sender and
 * receiver have to mean the same number of bytes. One thread at a time, but for {@link Transfer#abort}.
 */
public final class GlooLinks implements AutoCloseable {
    private final ProcessGroupGloo group;

    private GlooLinks(ProcessGroupGloo group) {
        this.group = group;
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
                return new GlooLinks(group);
            }
        });
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

    @Override
    public void close() {
        group.releaseReference();
    }
}
