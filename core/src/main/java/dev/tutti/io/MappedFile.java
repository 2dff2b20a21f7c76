package dev.tutti.io;

import dev.tutti.tensor.NativeMemory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;

/**
 * A file of any size mapped into memory, in windows: one buffer of the JVM maps at most 2 GB. The file must not be cut short while it is
 * mapped; {@link AtomicFile} replaces files by renaming, which leaves a mapped one as it was.
 */
final class MappedFile {
    private static final long WINDOW = 1L << 30;

    private final long size;
    private final List<MappedByteBuffer> windows = new ArrayList<>();

    MappedFile(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            size = channel.size();
            for (long at = 0; at < size; at += WINDOW) {
                windows.add(channel.map(FileChannel.MapMode.READ_ONLY, at, Math.min(WINDOW, size - at)));
            }
        }
    }

    long size() {
        return size;
    }

    /** Copies bytes of the file into memory. */
    void copy(long at, NativeMemory into, long to, long count) {
        forEach(at, count, (window, from, length, done) -> into.copy(to + done, NativeMemory.of(window), from, length));
    }

    /** Takes bytes of the file into a digest. */
    void update(MessageDigest digest, long at, long count) {
        forEach(at, count, (window, from, length, done) -> {
            ByteBuffer bytes = window.duplicate().position(from).limit(from + length);
            digest.update(bytes);
        });
    }

    private interface Stretch {
        void at(ByteBuffer window, int from, int length, long done);
    }

    private void forEach(long at, long count, Stretch work) {
        if (at < 0 || count < 0 || at + count > size) {
            throw new IndexOutOfBoundsException("bytes " + at + " to " + (at + count) + " of a file of " + size);
        }
        long done = 0;
        while (done < count) {
            int from = (int) ((at + done) % WINDOW);
            int length = (int) Math.min(WINDOW - from, count - done);
            work.at(windows.get((int) ((at + done) / WINDOW)), from, length, done);
            done += length;
        }
    }
}
