package dev.tutti.comm.network;

import dev.tutti.comm.Group;
import dev.tutti.comm.message.TlsWire;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.TensorLinks;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connections with TLS between each two members of a group. Each tag has connections of its own, so that a message arrives though
 * elements before it were not taken.
 */
final class TlsLinks implements TensorLinks {
    private static final Logger LOG = LoggerFactory.getLogger(TlsLinks.class);
    private static final Duration TO_CLOSE = Duration.ofSeconds(5);

    private final Group group;
    private final TlsConnection[][] connections;
    private final ExecutorService threads;
    private boolean closed;

    /** @param tags the tags are the numbers from 1 to this one */
    TlsLinks(Group group, int tags) {
        this.group = group;
        connections = new TlsConnection[group.size()][tags];
        threads = Executors.newCachedThreadPool(work -> {
            Thread thread = new Thread(work, "tutti-tls-" + group.self().id());
            thread.setDaemon(true);
            return thread;
        });
    }

    int tags() {
        return connections[0].length;
    }

    /** Takes a connection over; false if there is one with that member and tag, or it came too late. */
    synchronized boolean add(int rank, int tag, Socket socket, TlsWire wire) {
        if (closed || connections[rank][tag - 1] != null) {
            return false;
        }
        connections[rank][tag - 1] = new TlsConnection(socket, wire, threads);
        return true;
    }

    /** The ids of members that are not connected yet. */
    synchronized List<String> missing() {
        List<String> missing = new ArrayList<>();
        for (int rank = 0; rank < group.size(); rank++) {
            for (TlsConnection connection : connections[rank]) {
                String id = group.members().get(rank).id();
                if (rank != group.rank() && connection == null && !missing.contains(id)) {
                    missing.add(id);
                }
            }
        }
        return missing;
    }

    private synchronized TlsConnection with(int rank, int tag) {
        TlsConnection connection = connections[rank][tag - 1];
        connection.check();
        return connection;
    }

    @Override
    public Transfer send(Tensor values, int to, int tag) {
        return with(to, tag).send(values);
    }

    @Override
    public Transfer receive(Tensor values, int from, int tag) {
        return with(from, tag).receive(values);
    }

    /** The port was open only while members connected. */
    @Override
    public void refuseNewConnections() {}

    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            for (TlsConnection[] ofMember : connections) {
                for (TlsConnection connection : ofMember) {
                    if (connection != null) {
                        connection.close();
                    }
                }
            }
        }
        threads.shutdown();
        try {
            if (!threads.awaitTermination(TO_CLOSE.toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.warn("connections to other members did not close within {} s", TO_CLOSE.toSeconds());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
