package dev.tutti.comm.message;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Bytes to and from one other process. One thread may read while another one writes; closing ends both. */
interface ByteWire extends Closeable {
    /** Reads at least one byte into a direct buffer; -1 at the end. */
    int read(ByteBuffer into) throws IOException;

    /** Writes some bytes of buffers, in their order. */
    long write(ByteBuffer[] from) throws IOException;
}
