package dev.tutti.comm.sharedmemory;

import dev.tutti.host.ProcessLiveness;
import dev.tutti.tensor.NativeMemory;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A piece of memory that several JVMs of one machine have mapped from one file.
 *
 * <p>The file has a name only until all have mapped it; the memory lives on until the last of them lets go or dies. What a JVM
 * that was killed in that short time left behind, the next one to make a segment removes.
 */
public final class Segment implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Segment.class);
    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());
    private static final String PREFIX = "tutti-";
    private static final Pattern NAME = Pattern.compile(PREFIX + "\\d{1,18}-[0-9a-f]{1,16}");
    private static final Path SHARED = Path.of("/dev/shm");

    private final Path path;
    private final ByteBuffer bytes;
    private final NativeMemory memory;

    private Segment(Path path, MappedByteBuffer mapped) {
        this.path = path;
        this.bytes = mapped.order(ByteOrder.nativeOrder());
        this.memory = NativeMemory.of(mapped);
    }

    /** Makes a segment of zeros, in memory if there is a file system for that with enough room, else in the temporary folder. */
    static Segment create(int size) throws IOException {
        Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
        if (Files.isWritable(SHARED)) {
            try {
                return create(SHARED, size);
            } catch (IOException e) {
                log.warn(
                        "{} has no room for {} bytes ({}): members share a file in {} instead, which is slower",
                        SHARED,
                        size,
                        e.getMessage(),
                        temporary);
            }
        }
        return create(temporary, size);
    }

    /** The same in memory or not at all; leaves others some of it. */
    public static Segment createInMemory(int size) throws IOException {
        long free = Files.getFileStore(SHARED).getUsableSpace();
        if (size > free - free / 4) {
            throw new IOException(SHARED + " has " + free + " bytes left");
        }
        return create(SHARED, size);
    }

    private static Segment create(Path folder, int size) throws IOException {
        removeAbandoned(folder);
        String name = PREFIX + ProcessHandle.current().pid() + "-"
                + Long.toHexString(ThreadLocalRandom.current().nextLong());
        Path path = folder.resolve(name);
        FileAttribute<?>[] mine =
                folder.getFileSystem().supportedFileAttributeViews().contains("posix")
                        ? new FileAttribute<?>[] {
                            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
                        }
                        : new FileAttribute<?>[0];
        Set<StandardOpenOption> options =
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
        try (FileChannel file = FileChannel.open(path, options, mine)) {
            // Written, not only made long: touching memory that the file system turns out not to have ends the JVM.
            ByteBuffer zeros = ByteBuffer.allocateDirect(1 << 16);
            for (long at = 0; at < size; ) { // a write may be short where there is little room left
                at += file.write(zeros.clear().limit((int) Math.min(zeros.capacity(), size - at)), at);
            }
            return new Segment(path, file.map(FileChannel.MapMode.READ_WRITE, 0, size));
        } catch (IOException e) {
            Files.deleteIfExists(path);
            throw e;
        }
    }

    static Segment open(Path path) throws IOException {
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return new Segment(path, file.map(FileChannel.MapMode.READ_WRITE, 0, file.size()));
        }
    }

    /**
     * Maps a segment that another process of this machine has made in memory.
     *
     * @param name the last part of its path
     * @throws IOException if there is none, as on another machine
     */
    public static Segment openInMemory(String name) throws IOException {
        if (!NAME.matcher(name).matches()) {
            throw new IOException("expected the name of a segment, received '" + name + "'");
        }
        Path file = SHARED.resolve(name);
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            throw new IOException("there is no " + file + " on this machine");
        }
        return open(file);
    }

    private static void removeAbandoned(Path folder) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, PREFIX + "*-*")) {
            for (Path file : files) {
                String[] words = file.getFileName().toString().split("-");
                if (words.length == 3
                        && words[1].matches("\\d{1,18}")
                        && !ProcessLiveness.isAlive(Long.parseLong(words[1]))) {
                    Files.deleteIfExists(file);
                }
            }
        } catch (IOException | RuntimeException e) {
            log.debug("looking for abandoned segments in {}", folder, e);
        }
    }

    public Path path() {
        return path;
    }

    /** Removes the name: no other process can map it, and nothing is left behind when its users have ended. */
    public void unlink() {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            log.warn("{} could not be removed: {}", path, e.getMessage());
        }
    }

    public NativeMemory memory() {
        return memory;
    }

    /** A buffer over some bytes, with a position of its own. */
    ByteBuffer slice(int at, int length) {
        return bytes.slice(at, length).order(ByteOrder.nativeOrder());
    }

    /** Reads a number; what its writer wrote before it can be seen from here on. */
    public long get(int at) {
        return (long) LONG.getAcquire(bytes, at);
    }

    /** Writes a number behind all that was written before. */
    public void set(int at, long value) {
        LONG.setRelease(bytes, at, value);
    }

    /** Unmaps the memory; nothing of this may be used any more. */
    @Override
    public void close() {
        try {
            Class<?> unsafe = Class.forName("sun.misc.Unsafe");
            var field = unsafe.getDeclaredField("theUnsafe");
            field.setAccessible(true);
            Method cleaner = unsafe.getMethod("invokeCleaner", ByteBuffer.class);
            cleaner.invoke(field.get(null), bytes);
        } catch (ReflectiveOperationException | RuntimeException e) {
            log.debug("the segment is unmapped by the garbage collector", e);
        }
    }
}
