package dev.tutti.testkit.fault;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A piece of network that can be cut: passes on what comes to its port to another port of this machine. */
public final class NetworkLink implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NetworkLink.class);

    private final ServerSocket server;
    private final int target;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private volatile long cutUntil = System.nanoTime();

    public NetworkLink(int target) {
        this.target = target;
        try {
            server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start("accept", this::accept);
    }

    public int port() {
        return server.getLocalPort();
    }

    /** Breaks the connections and refuses new ones for a while. */
    public void cut(Duration time) {
        cutUntil = System.nanoTime() + time.toNanos();
        sockets.forEach(NetworkLink::drop);
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket from = server.accept();
                sockets.add(from);
                if (System.nanoTime() < cutUntil) {
                    drop(from);
                } else {
                    connect(from);
                }
                sockets.removeIf(Socket::isClosed);
            } catch (IOException e) {
                LOG.debug("the link to {} has ended", target, e);
            }
        }
    }

    private void connect(Socket from) {
        try {
            Socket to = new Socket(InetAddress.getLoopbackAddress(), target);
            sockets.add(to);
            start("there", () -> pass(from, to));
            start("back", () -> pass(to, from));
        } catch (IOException e) {
            drop(from); // the coordinator is away
        }
    }

    private static void pass(Socket from, Socket to) {
        try (InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream()) {
            in.transferTo(out);
        } catch (IOException e) {
            LOG.trace("cut", e);
        } finally {
            drop(from);
            drop(to);
        }
    }

    private static void drop(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            LOG.trace("closed already", e);
        }
    }

    private void start(String what, Runnable work) {
        Thread thread = new Thread(work, "testkit-link-" + port() + "-" + what);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            LOG.debug("closed already", e);
        }
        sockets.forEach(NetworkLink::drop);
    }
}
