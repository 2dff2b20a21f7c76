package dev.tutti.source.table;

import dev.tutti.data.DataException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A file of any size, mapped into memory: pieces of up to a gigabyte by their place. Any number of threads may read it. */
public final class LargeBuffer {
    private static final long STRIDE = 1L << 30;

    private final ByteBuffer[] windows;
    private final long size;

    private LargeBuffer(ByteBuffer[] windows, long size) {
        this.windows = windows;
        this.size = size;
    }

    /** Maps a file. */
    public static LargeBuffer map(Path file) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            return map(channel);
        } catch (NoSuchFileException e) {
            throw new DataException(file + ": there is no such file", e);
        } catch (IOException e) {
            throw new DataException(file + ": cannot be read: " + e.getMessage(), e);
        }
    }

    /** Unpacks a stream into a temporary file that has no name, and maps that. */
    public static LargeBuffer unpack(InputStream packed) throws IOException {
        Path path = Files.createTempFile("tutti-unpacked-", ".bin");
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            byte[] bytes = new byte[1 << 16];
            for (int count = packed.read(bytes); count >= 0; count = packed.read(bytes)) {
                ByteBuffer piece = ByteBuffer.wrap(bytes, 0, count);
                while (piece.hasRemaining()) {
                    channel.write(piece);
                }
            }
            return map(channel);
        } finally {
            try {
                Files.delete(path);
            } catch (IOException e) {
                path.toFile().deleteOnExit(); // where the system keeps files that are mapped
            }
        }
    }

    private static LargeBuffer map(FileChannel channel) throws IOException {
        long size = channel.size();
        ByteBuffer[] windows = new ByteBuffer[Math.toIntExact((size + STRIDE - 1) / STRIDE)];
        for (int i = 0; i < windows.length; i++) {
            long from = i * STRIDE;
            windows[i] = channel.map(FileChannel.MapMode.READ_ONLY, from, Math.min(size - from, Integer.MAX_VALUE));
        }
        return new LargeBuffer(windows, size);
    }

    public long size() {
        return size;
    }

    /** A piece of it, little-endian, with a position of its own. */
    public ByteBuffer slice(long from, int length) {
        if (from < 0 || length < 0 || from + length > size || length > STRIDE) {
            throw new IndexOutOfBoundsException(length + " bytes from " + from + " of " + size);
        }
        if (length == 0) {
            return ByteBuffer.allocate(0);
        }
        return windows[(int) (from / STRIDE)]
                .slice((int) (from % STRIDE), length)
                .order(ByteOrder.LITTLE_ENDIAN);
    }
}
