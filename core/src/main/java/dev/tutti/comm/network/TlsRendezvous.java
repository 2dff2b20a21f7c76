package dev.tutti.comm.network;

import dev.tutti.comm.BulletinBoard;
import dev.tutti.comm.CommunicationException;
import dev.tutti.comm.Group;
import dev.tutti.comm.MemberLostException;
import dev.tutti.comm.message.TlsWire;
import dev.tutti.comm.network.LinkNotes.TlsAddress;
import dev.tutti.comm.transport.CallDeadline;
import dev.tutti.host.RunningTime;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connects the members of a group with TLS: each connects to those of a lower rank, shows its certificate, and sends the key that the other
 * one left on the group's bulletin board, which only members can read. The port is open while members connect, and no longer.
 *
 * <p>Handshakes take place on threads of their own, so that a stranger holds up nothing; it is sent away after {@link #HANDSHAKE}.
 */
final class TlsRendezvous {
    private static final Logger LOG = LoggerFactory.getLogger(TlsRendezvous.class);
    /** For a connection to show that it is a member's. */
    private static final Duration HANDSHAKE = Duration.ofSeconds(10);

    private static final int STRANGERS = 256;
    private static final int KEY_BYTES = 16;
    private static final int HELLO_BYTES = KEY_BYTES + Long.BYTES + 2 * Integer.BYTES;
    private static final byte WELCOME = 1;
    private static final long LOOK = TimeUnit.MILLISECONDS.toNanos(5);

    private final Group group;
    private final BulletinBoard board;
    private final CallDeadline patience;
    private final SSLContext tls;
    private final byte[] key = new byte[KEY_BYTES];
    /** Connections that are being opened, with the time until which they may be. */
    private final Map<Socket, Long> opening = new ConcurrentHashMap<>();

    private final AtomicReference<RuntimeException> failure = new AtomicReference<>();

    TlsRendezvous(Group group, BulletinBoard board, CallDeadline patience, SSLContext tls) {
        this.group = group;
        this.board = board;
        this.patience = patience;
        this.tls = tls;
        new SecureRandom().nextBytes(key);
    }

    /**
     * Connects with all others; every member calls it.
     *
     * @param address where this member listens
     * @throws MemberLostException if not all came in time
     */
    TlsLinks connect(InetAddress address) {
        TlsLinks links = new TlsLinks(group, NetworkWire.TAGS);
        ExecutorService threads = Executors.newCachedThreadPool(work -> {
            Thread thread = new Thread(work, "tutti-tls-connect");
            thread.setDaemon(true);
            return thread;
        });
        try (ServerSocket server = listen(address)) {
            threads.execute(() -> acceptAll(server, links, threads));
            InetSocketAddress own = new InetSocketAddress(address, server.getLocalPort());
            LinkNotes.postTls(group, board, new TlsAddress(own, key));
            for (int rank = 0; rank < group.size(); rank++) {
                if (rank != group.rank()) {
                    call(rank, LinkNotes.readTls(group, board, rank), links, threads);
                }
            }
            awaitAll(links);
            return links;
        } catch (IOException e) {
            links.close();
            throw new CommunicationException("members cannot be listened for on " + address + ": " + e.getMessage(), e);
        } catch (RuntimeException e) {
            links.close();
            throw e;
        } finally {
            opening.keySet().forEach(TlsRendezvous::close);
            threads.shutdown();
        }
    }

    private ServerSocket listen(InetAddress address) throws IOException {
        ServerSocket server = new ServerSocket();
        try {
            server.bind(new InetSocketAddress(address, 0), STRANGERS);
            return server;
        } catch (IOException e) {
            server.close();
            throw e;
        }
    }

    private void awaitAll(TlsLinks links) {
        while (!links.missing().isEmpty()) {
            patience.check();
            RuntimeException failed = failure.get();
            if (failed != null) {
                throw failed;
            }
            if (patience.left().isZero()) {
                throw new MemberLostException(
                        List.of(),
                        links.missing() + " could not be connected with " + group.self() + " within "
                                + patience.inWords());
            }
            if (Thread.interrupted()) {
                Thread.currentThread().interrupt();
                throw CallDeadline.interrupted();
            }
            long now = RunningTime.nanos();
            opening.forEach((socket, until) -> {
                if (until - now < 0) {
                    close(socket);
                }
            });
            LockSupport.parkNanos(this, LOOK);
        }
    }

    // ---- those who come

    private void acceptAll(ServerSocket server, TlsLinks links, ExecutorService threads) {
        while (!server.isClosed()) {
            try {
                Socket socket = server.accept();
                if (opening.size() >= STRANGERS) {
                    close(socket);
                } else {
                    opening.put(socket, RunningTime.nanos() + HANDSHAKE.toNanos());
                    threads.execute(() -> accept(socket, links));
                }
            } catch (IOException | RuntimeException e) {
                if (!server.isClosed()) {
                    LOG.debug("{} could not take a connection", group.self(), e);
                    LockSupport.parkNanos(LOOK);
                }
            }
        }
    }

    private void accept(Socket socket, TlsLinks links) {
        boolean kept = false;
        try {
            TlsWire wire = wire(socket, false, HANDSHAKE);
            ByteBuffer hello = read(wire, HELLO_BYTES);
            byte[] sent = new byte[KEY_BYTES];
            hello.get(sent);
            boolean knows = MessageDigest.isEqual(sent, key) && hello.getLong() == group.generation();
            int rank = hello.getInt();
            int tag = hello.getInt();
            if (!knows || rank <= group.rank() || rank >= group.size() || tag < 1 || tag > links.tags()) {
                throw new IOException("it does not know what members know");
            }
            socket.setSoTimeout(0);
            wire.write(new ByteBuffer[] {ByteBuffer.wrap(new byte[] {WELCOME})});
            opening.remove(socket); // before it counts as connected: what is still opening then is closed
            kept = links.add(rank, tag, socket, wire);
        } catch (IOException | RuntimeException e) {
            LOG.debug("{} did not let in a connection: {}", group.self(), e.getMessage());
        } finally {
            opening.remove(socket);
            if (!kept) {
                close(socket);
            }
        }
    }

    // ---- those who are called

    private void call(int rank, TlsAddress there, TlsLinks links, ExecutorService threads) {
        for (int tag = 1; rank < group.rank() && tag <= links.tags(); tag++) {
            int of = tag;
            Socket socket = new Socket();
            opening.put(socket, RunningTime.nanos() + patience.left().toNanos());
            threads.execute(() -> call(socket, rank, of, there, links));
        }
    }

    private void call(Socket socket, int rank, int tag, TlsAddress there, TlsLinks links) {
        boolean kept = false;
        try {
            Duration limit = patience.left().plusMillis(1);
            socket.connect(there.address(), (int) limit.toMillis());
            TlsWire wire = wire(socket, true, limit);
            ByteBuffer hello = ByteBuffer.allocate(HELLO_BYTES)
                    .put(there.key())
                    .putLong(group.generation())
                    .putInt(group.rank())
                    .putInt(tag)
                    .flip();
            wire.write(new ByteBuffer[] {hello});
            if (read(wire, 1).get() != WELCOME) {
                throw new IOException("it answered with something else");
            }
            socket.setSoTimeout(0);
            opening.remove(socket); // before it counts as connected: what is still opening then is closed
            kept = links.add(rank, tag, socket, wire);
        } catch (IOException | RuntimeException e) {
            String id = group.members().get(rank).id();
            failure.compareAndSet(
                    null,
                    new MemberLostException(
                            List.of(id),
                            id + " at " + there.address() + " could not be connected with TLS: " + e.getMessage(),
                            e));
        } finally {
            opening.remove(socket);
            if (!kept) {
                close(socket);
            }
        }
    }

    private TlsWire wire(Socket socket, boolean client, Duration limit) throws IOException {
        socket.setTcpNoDelay(true);
        socket.setKeepAlive(true);
        TlsWire wire = TlsWire.over(socket, tls, client, limit);
        socket.setSoTimeout((int) limit.toMillis()); // for the first words behind it
        return wire;
    }

    private static ByteBuffer read(TlsWire wire, int bytes) throws IOException {
        ByteBuffer into = ByteBuffer.allocate(bytes);
        while (into.hasRemaining()) {
            if (wire.read(into) < 0) {
                throw new EOFException("the other side has closed the connection");
            }
        }
        return into.flip();
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            LOG.debug("a connection could not be closed", e);
        }
    }
}
