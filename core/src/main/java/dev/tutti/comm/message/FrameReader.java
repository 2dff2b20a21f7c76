package dev.tutti.comm.message;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Reads frames from a wire, and keeps what it has read ahead. Used by one thread, but for {@link #movedNanos}. */
final class FrameReader {
    private static final int READ_AHEAD = 1 << 16;

    private final ByteWire wire;
    private final FrameCodec codec;
    private final ByteBuffer ahead = ByteBuffer.allocateDirect(READ_AHEAD).limit(0);
    private volatile long moved;

    FrameReader(ByteWire wire, FrameCodec codec) {
        this.wire = wire;
        this.codec = codec;
    }

    /** When bytes last moved in the middle of a frame; 0 between frames. */
    long movedNanos() {
        return moved;
    }

    /** Waits for the next frame and reads its head. The caller reads what follows it, and calls {@link #done}. */
    FrameCodec.Head head() throws IOException {
        moved = ahead.hasRemaining() ? System.nanoTime() : 0;
        need(FrameCodec.PREFIX);
        int length = codec.headLength(ahead.getInt());
        if (length <= READ_AHEAD) {
            need(length);
            ByteBuffer part = ahead.slice(ahead.position(), length);
            ahead.position(ahead.position() + length);
            return codec.decode(part);
        }
        ByteBuffer part = ByteBuffer.allocate(length);
        while (part.hasRemaining()) {
            need(1);
            int count = Math.min(part.remaining(), ahead.remaining());
            part.put(ahead.slice(ahead.position(), count));
            ahead.position(ahead.position() + count);
        }
        return codec.decode(part.flip());
    }

    /** All of the frame has been read. */
    void done() {
        moved = 0;
    }

    /** Reads until so many bytes lie ahead. */
    private void need(int bytes) throws IOException {
        if (ahead.remaining() >= bytes) {
            return;
        }
        ahead.compact();
        while (ahead.position() < bytes) {
            read(ahead);
        }
        ahead.flip();
    }

    /** Fills a buffer with the next bytes. */
    void fill(ByteBuffer target) throws IOException {
        int count = Math.min(target.remaining(), ahead.remaining());
        target.put(ahead.slice(ahead.position(), count));
        ahead.position(ahead.position() + count);
        while (target.hasRemaining()) {
            read(target);
        }
    }

    private void read(ByteBuffer into) throws IOException {
        if (wire.read(into) < 0) {
            throw new EOFException();
        }
        moved = System.nanoTime();
    }
}
