package dev.tutti.comm.message;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** A connection whose bytes go straight from and into the memory of direct buffers. */
final class PlainWire implements ByteWire {
    private final SocketChannel channel;

    PlainWire(SocketChannel channel) {
        this.channel = channel;
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        return channel.read(into);
    }

    @Override
    public long write(ByteBuffer[] from) throws IOException {
        return channel.write(from);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
