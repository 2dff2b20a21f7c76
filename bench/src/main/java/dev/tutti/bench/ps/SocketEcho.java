package dev.tutti.bench.ps;

import dev.tutti.bench.contender.Workload;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** Bytes over a loopback socket and back again, between two threads, from memory to memory: what any exchange over sockets takes. */
final class SocketEcho implements Workload {
    private final ServerSocketChannel listening;
    private final SocketChannel channel;
    private final ByteBuffer own;

    SocketEcho(int bytes) {
        try {
            listening = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            Thread other = new Thread(() -> echo(bytes), "bench-echo");
            other.setDaemon(true);
            other.start();
            channel = SocketChannel.open(listening.getLocalAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        own = ByteBuffer.allocateDirect(bytes);
    }

    private void echo(int bytes) {
        ByteBuffer memory = ByteBuffer.allocateDirect(bytes);
        try (SocketChannel peer = listening.accept()) {
            while (true) {
                read(peer, memory.clear());
                write(peer, memory.flip());
            }
        } catch (IOException e) {
            // the benchmark is over
        }
    }

    private static void read(SocketChannel from, ByteBuffer into) throws IOException {
        while (into.hasRemaining()) {
            if (from.read(into) < 0) {
                throw new IOException("the other end is gone");
            }
        }
    }

    private static void write(SocketChannel to, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            to.write(bytes);
        }
    }

    @Override
    public void step() {
        try {
            write(channel, own.clear());
            read(channel, own.clear());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public int batch() {
        return 1;
    }

    @Override
    public void close() {
        try {
            channel.close();
            listening.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
