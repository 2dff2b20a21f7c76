package dev.tutti.comm.message;

import dev.tutti.comm.CommunicationException;
import dev.tutti.comm.Member;
import dev.tutti.comm.MemberLostException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Messages over TCP: each member listens on one port, and a connection carries messages both ways.
 *
 * <p>Between processes of one machine the connection carries the heads, and tensors go through shared memory ({@link LinkMemory}).
 *
 * <p>A member that is killed is noticed within milliseconds, since its connections break; one that is stopped when the request's
 * limit is over, or when the coordinator gives it up.
 */
public final class SocketMessageTransport implements MessageTransport {
    private static final Logger LOG = LoggerFactory.getLogger(SocketMessageTransport.class);
    private static final int BACKLOG = 256;

    private final ServerSocketChannel server;
    private final MessageAddress address;
    private final MemberDirectory directory;
    private final MessageSecurity security;
    private final MessageLimits limits;
    private final FrameCodec codec;
    private final Set<SocketLink> links = ConcurrentHashMap.newKeySet();
    private final Set<SocketChannel> strangers = ConcurrentHashMap.newKeySet();
    private final ExecutorService threads;
    private final ScheduledThreadPoolExecutor watch;
    private Member self;
    private LinkListener listener;

    private SocketMessageTransport(
            ServerSocketChannel server, MemberDirectory directory, MessageSecurity security, MessageLimits limits)
            throws IOException {
        this.server = server;
        InetSocketAddress bound = (InetSocketAddress) server.getLocalAddress();
        this.address = new MessageAddress(bound.getAddress().getHostAddress(), bound.getPort());
        this.directory = directory;
        this.security = security;
        this.limits = limits;
        this.codec = new FrameCodec(limits);
        threads = Executors.newCachedThreadPool(work -> daemon(work, "tutti-messages-socket"));
        watch = new ScheduledThreadPoolExecutor(1, work -> daemon(work, "tutti-messages-watch"));
        watch.setRemoveOnCancelPolicy(true);
    }

    private static Thread daemon(Runnable work, String name) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        return thread;
    }

    /**
     * Takes a free port of an address; others are let in once an exchange is opened over it.
     *
     * @param on the address to listen on: the loopback address lets in this machine alone
     */
    public static SocketMessageTransport listen(
            InetAddress on, MemberDirectory directory, MessageSecurity security, MessageLimits limits) {
        try {
            ServerSocketChannel server = ServerSocketChannel.open();
            try {
                server.bind(new InetSocketAddress(on, 0), BACKLOG);
                return new SocketMessageTransport(server, directory, security, limits);
            } catch (IOException | RuntimeException e) {
                server.close();
                throw e;
            }
        } catch (IOException e) {
            throw new CommunicationException("messages cannot be listened for on " + on + ": " + e.getMessage(), e);
        }
    }

    /** Where other members connect to. */
    public MessageAddress address() {
        return address;
    }

    /** The messages over living connections whose tensors came through shared memory. */
    long takenFromMemory() {
        return links.stream().mapToLong(SocketLink::takenFromMemory).sum();
    }

    @Override
    public void open(Member member, LinkListener of) {
        self = member;
        listener = of;
        daemon(this::acceptAll, "tutti-messages-door-" + member).start();
        long every = Math.max(10, limits.stalled().toMillis() / 4);
        var unused = watch.scheduleWithFixedDelay(this::endStalled, every, every, TimeUnit.MILLISECONDS);
    }

    private void endStalled() {
        links.removeIf(SocketLink::isClosed);
        for (SocketLink link : links) {
            if (link.stalledFor() > limits.stalled().toNanos()) {
                link.close("its connection stood still in the middle of a message for "
                        + limits.stalled().toMillis() + " ms");
            }
        }
    }

    // ---- those who come

    private void acceptAll() {
        while (server.isOpen()) {
            try {
                SocketChannel channel = server.accept();
                if (strangers.size() + links.size() >= limits.connections()) {
                    LOG.warn("{} has {} connections and takes no more", self, limits.connections());
                    channel.close();
                } else {
                    strangers.add(channel);
                    threads.execute(() -> accept(channel));
                }
            } catch (IOException | RuntimeException e) {
                if (server.isOpen()) {
                    LOG.warn("{} could not take a connection: {}", self, e.getMessage());
                    pause();
                }
            }
        }
    }

    /** Without it a process that has no file descriptors left would try in a circle. */
    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(10);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void accept(SocketChannel channel) {
        try {
            SocketLink link = within(limits.handshake(), channel, () -> {
                ByteWire wire = wire(channel, false, limits.handshake());
                return link(new Handshake(wire, security.token()).accept(self), channel, wire);
            });
            listener.accepted(link);
        } catch (IOException | RuntimeException e) {
            LOG.debug("{} did not let in a connection: {}", self, e.getMessage());
        } finally {
            strangers.remove(channel);
        }
    }

    // ---- those who are gone to

    @Override
    public Optional<MessageLink> connect(Member to, Duration limit) {
        long begin = System.nanoTime();
        Optional<MessageAddress> known = directory.find(to, limit);
        if (known.isEmpty()) {
            return Optional.empty();
        }
        MessageAddress there = known.get();
        Duration left = limit.minusNanos(System.nanoTime() - begin);
        if (left.isNegative() || left.isZero()) {
            throw new MemberLostException(
                    List.of(to.id()), to + " could not be reached within " + limit.toMillis() + " ms");
        }
        try {
            SocketChannel channel = SocketChannel.open();
            return Optional.of(within(left, channel, () -> {
                channel.connect(new InetSocketAddress(there.host(), there.port()));
                ByteWire wire = wire(channel, true, left);
                new Handshake(wire, security.token()).connect(self, to);
                return link(to, channel, wire);
            }));
        } catch (IOException | RuntimeException e) {
            throw new MemberLostException(
                    List.of(to.id()), to + " at " + there + " cannot be reached: " + e.getMessage(), e);
        }
    }

    private interface Opening {
        SocketLink open() throws IOException;
    }

    /** Opens a link within a limit, after which the connection is closed; it also is if that fails. */
    private SocketLink within(Duration limit, SocketChannel channel, Opening opening) throws IOException {
        Future<?> alarm = watch.schedule(() -> closeQuietly(channel), limit.toNanos(), TimeUnit.NANOSECONDS);
        try {
            SocketLink link = opening.open();
            if (!alarm.cancel(false)) {
                throw new IOException("it took longer than " + limit.toMillis() + " ms");
            }
            return link;
        } catch (IOException | RuntimeException e) {
            closeQuietly(channel);
            if (alarm.isDone() && !alarm.isCancelled()) {
                throw new IOException("it did not answer within " + limit.toMillis() + " ms", e);
            }
            throw e;
        } finally {
            alarm.cancel(false);
        }
    }

    private static void closeQuietly(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            LOG.debug("a connection could not be closed", e);
        }
    }

    private ByteWire wire(SocketChannel channel, boolean client, Duration limit) throws IOException {
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        return security.tls().isPresent()
                ? TlsWire.over(channel.socket(), security.tls().get(), client, limit)
                : new PlainWire(channel);
    }

    private SocketLink link(Member peer, SocketChannel channel, ByteWire wire) throws IOException {
        LinkMemory memory = new LinkMemory(isHere(channel) ? limits.sharedBytes() : 0);
        SocketLink link = new SocketLink(peer, wire, codec, listener, threads, memory);
        links.removeIf(SocketLink::isClosed);
        links.add(link);
        return link;
    }

    /** Whether the other process has an address of this machine; whether it sees the same memory is found out by opening it there. */
    private static boolean isHere(SocketChannel channel) throws IOException {
        InetAddress other = ((InetSocketAddress) channel.getRemoteAddress()).getAddress();
        return other.isLoopbackAddress() || NetworkInterface.getByInetAddress(other) != null;
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            LOG.debug("the port of {} could not be closed", self, e);
        }
        strangers.forEach(SocketMessageTransport::closeQuietly);
        links.forEach(link -> link.close("closed"));
        watch.shutdownNow();
        threads.shutdown();
    }
}
