package dev.tutti.io;

import java.io.BufferedOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * Writes a file whole or not at all: under another name first, brought to the disk, then renamed.
 *
 * <p>A reader finds the old content or the new, also after a crash or a power cut. If anything fails the old
 * content stays and the unfinished file is removed; one left by a killed program is removed by {@link Temporary#sweep}.
 */
public final class AtomicFile {
    private AtomicFile() {}

    /** What is to be in the file. */
    @FunctionalInterface
    public interface Content {
        /** Writes all of it; the stream is buffered, and closing it is not needed. */
        void writeTo(OutputStream out) throws IOException;
    }

    /**
     * Writes a file and the folders above it, replacing what was there.
     *
     * @throws DiskFullException if there is no room
     * @throws FileException if it cannot be written for another reason; what the content itself throws comes out as it
     *     is
     */
    public static void write(Path file, Content content) {
        write(file, 0, content);
    }

    /** The same for content whose size is known, so that the message about a full disk can say how much is needed. */
    public static void write(Path file, long bytes, Content content) {
        Path target = file.toAbsolutePath().normalize();
        Path temporary = Temporary.beside(target);
        long[] written = {0};
        try {
            if (Files.isDirectory(target)) {
                throw new FileException(file.toString(), "is a folder, so it cannot be written as a file");
            }
            Files.createDirectories(target.getParent());
            try (FileChannel channel =
                    FileChannel.open(temporary, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                OutputStream out =
                        new BufferedOutputStream(new Counting(Channels.newOutputStream(channel), written), 1 << 16);
                content.writeTo(new Unclosed(out));
                out.flush();
                channel.force(true);
            }
            Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
            Temporary.syncFolder(target.getParent());
        } catch (IOException e) {
            boolean full = DiskFullException.isTheReason(e, target.getParent());
            Temporary.deleteAfter(e, temporary);
            throw full
                    ? new DiskFullException(
                            file, Math.max(bytes, written[0]), DiskFullException.freeIn(target.getParent()), e)
                    : FileException.cannotBeWritten(file, e);
        } catch (RuntimeException | Error e) {
            Temporary.deleteAfter(e, temporary);
            throw e;
        }
    }

    public static void write(Path file, byte[] content) {
        write(file, content.length, out -> out.write(content));
    }

    /** Writes a text as UTF-8. */
    public static void write(Path file, String content) {
        write(file, content.getBytes(StandardCharsets.UTF_8));
    }

    /** Counts what was meant to be written, also the part that failed. */
    private static final class Counting extends FilterOutputStream {
        private final long[] written;

        Counting(OutputStream out, long[] written) {
            super(out);
            this.written = written;
        }

        @Override
        public void write(int b) throws IOException {
            written[0]++;
            out.write(b);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            written[0] += length;
            out.write(bytes, offset, length);
        }
    }

    /**
     * Stays open when the content closes it, as many writers of JSON do: the file still has to be brought to the disk.
     */
    private static final class Unclosed extends FilterOutputStream {
        Unclosed(OutputStream out) {
            super(out);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            out.write(bytes, offset, length);
        }

        @Override
        public void close() throws IOException {
            flush();
        }
    }
}
