package dev.tutti.bench.serve;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/**
 * Sends one HTTP request again and again over connections that stay open, from one thread, so that it takes little of the machine.
 *
 * <p>Without a rate every connection sends its next request when its answer is there. With a rate requests are due at fixed times, and
 * latency counts from when a request was due: a server that falls behind is seen to.
 */
final class LoadGenerator implements AutoCloseable {
    private static final int BUFFER = 64 << 10;
    private static final int ENOUGH = 4_000_000;

    /** A connection with the request that it is busy with. */
    private static final class Connection {
        private final SocketChannel channel;
        private final ByteBuffer in = ByteBuffer.allocate(BUFFER);
        private ByteBuffer out;
        private long began;
        private boolean busy;

        Connection(SocketChannel channel) {
            this.channel = channel;
        }
    }

    private final byte[] request;
    private final Selector selector;
    private final List<Connection> connections = new ArrayList<>();
    private long[] latencies = new long[1 << 16];
    private int count;
    private long failures;

    LoadGenerator(int port, byte[] request, int connectionCount) throws IOException {
        this.request = request;
        selector = Selector.open();
        for (int i = 0; i < connectionCount; i++) {
            SocketChannel channel = SocketChannel.open(new InetSocketAddress("127.0.0.1", port));
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            Connection connection = new Connection(channel);
            channel.register(selector, SelectionKey.OP_READ, connection);
            connections.add(connection);
        }
    }

    /** @param rate requests in a second; 0 for as many as are answered */
    LoadResult run(double seconds, double rate) throws IOException {
        count = 0;
        failures = 0;
        long start = System.nanoTime();
        long end = start + (long) (seconds * 1e9);
        Deque<Connection> idle = new ArrayDeque<>(connections);
        long due = start;
        long between = rate > 0 ? (long) (1e9 / rate) : 0;
        boolean ending = false;
        while (!ending || idle.size() < connections.size()) {
            long now = System.nanoTime();
            ending = now - end >= 0;
            while (!ending && !idle.isEmpty() && (rate == 0 || due - now <= 0)) {
                send(idle.poll(), rate == 0 ? now : due);
                due += between;
            }
            if (now - end > 10_000_000_000L) {
                throw new IOException("answers are missing 10 s after the end of the load");
            }
            long wait = rate > 0 && !ending ? Math.max(1, Math.min(10, (due - now) / 1_000_000)) : 10;
            if (rate > 0 && !idle.isEmpty() && due - now < 1_000_000) {
                selector.selectNow();
            } else {
                selector.select(wait);
            }
            var keys = selector.selectedKeys();
            for (SelectionKey key : keys) {
                Connection connection = (Connection) key.attachment();
                if (key.isWritable()) {
                    write(connection);
                }
                if (key.isReadable() && answered(connection)) {
                    idle.add(connection);
                }
            }
            keys.clear();
        }
        return LoadResult.of(failures, (System.nanoTime() - start) / 1e9, latencies, count);
    }

    private void send(Connection connection, long began) throws IOException {
        connection.began = began;
        connection.busy = true;
        connection.in.clear();
        connection.out = ByteBuffer.wrap(request);
        write(connection);
    }

    private void write(Connection connection) throws IOException {
        connection.channel.write(connection.out);
        connection
                .channel
                .keyFor(selector)
                .interestOps(
                        connection.out.hasRemaining()
                                ? SelectionKey.OP_READ | SelectionKey.OP_WRITE
                                : SelectionKey.OP_READ);
    }

    private boolean answered(Connection connection) throws IOException {
        int read = connection.channel.read(connection.in);
        if (read < 0) {
            throw new IOException("the server closed a connection");
        }
        if (!connection.busy || !isWhole(connection.in)) {
            return false;
        }
        connection.busy = false;
        boolean fine =
                new String(connection.in.array(), 0, 12, java.nio.charset.StandardCharsets.US_ASCII).endsWith(" 200");
        if (!fine) {
            failures++;
        } else if (count < ENOUGH) {
            if (count == latencies.length) {
                latencies = Arrays.copyOf(latencies, 2 * count);
            }
            latencies[count++] = System.nanoTime() - connection.began;
        }
        return true;
    }

    /** Whether the head and all of the body, by its length or in chunks, are there. */
    private static boolean isWhole(ByteBuffer in) {
        byte[] bytes = in.array();
        int size = in.position();
        for (int i = 3; i < size; i++) {
            if (bytes[i] == '\n' && bytes[i - 1] == '\r' && bytes[i - 2] == '\n' && bytes[i - 3] == '\r') {
                int length = contentLength(bytes, i);
                if (length >= 0) {
                    return size >= i + 1 + length;
                }
                return size >= i + 6 && bytes[size - 1] == '\n' && bytes[size - 3] == '\n' && bytes[size - 5] == '0';
            }
        }
        return false;
    }

    private static int contentLength(byte[] bytes, int end) {
        String head = new String(bytes, 0, end, java.nio.charset.StandardCharsets.US_ASCII);
        int at = head.toLowerCase(java.util.Locale.ROOT).indexOf("content-length:");
        if (at < 0) {
            return -1;
        }
        int line = head.indexOf('\r', at);
        return Integer.parseInt(head.substring(at + "content-length:".length(), line < 0 ? head.length() : line)
                .strip());
    }

    @Override
    public void close() throws IOException {
        for (Connection connection : connections) {
            connection.channel.close();
        }
        selector.close();
    }
}
