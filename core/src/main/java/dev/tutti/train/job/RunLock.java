package dev.tutti.train.job;

import dev.tutti.io.FileException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps two runs from writing into one folder. A run holds the lock from before its first file until after its last; the system
 * releases it when the process ends, also after kill -9.
 *
 * <p>Members of one job that are started by hand may have one output: they share the lock.
 */
final class RunLock implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RunLock.class);
    private static final String NAME = ".run.lock";

    /** Folders locked by this JVM: opening and closing a file that this process has locked would release the lock. */
    private static final Set<Path> HELD = new HashSet<>();

    /** Another member that begins looks for a moment whether it is the first. */
    private static final int ATTEMPTS = 40;

    private static final long ATTEMPT_MILLIS = 50;

    private final Path key;
    private final FileChannel channel;
    private final boolean first;

    private RunLock(Path key, FileChannel channel, boolean first) {
        this.key = key;
        this.channel = channel;
        this.first = first;
    }

    /** Whether no other process held the lock when this one took it: members of a run that is under way are not the first. */
    boolean isFirst() {
        return first;
    }

    /**
     * Takes the lock of a folder, which is made if it is not there.
     *
     * @throws FileException if another run uses the folder; it says which process
     */
    static RunLock take(Path folder, boolean shared) {
        synchronized (HELD) {
            try {
                Files.createDirectories(folder);
                Path key = folder.toRealPath();
                if (HELD.contains(key)) {
                    throw inUse(folder, "this process");
                }
                boolean first = !shared || isFree(folder);
                RunLock lock = new RunLock(key, open(folder, shared), first);
                HELD.add(key);
                return lock;
            } catch (IOException e) {
                throw new FileException(folder.toString(), "cannot be locked for a run: " + e.getMessage(), e);
            }
        }
    }

    private static FileChannel channel(Path folder) throws IOException {
        return FileChannel.open(
                folder.resolve(NAME), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    private static boolean isFree(Path folder) throws IOException {
        try (FileChannel channel = channel(folder);
                FileLock lock = channel.tryLock()) {
            return lock != null;
        }
    }

    private static FileChannel open(Path folder, boolean shared) throws IOException {
        FileChannel channel = channel(folder);
        try {
            FileLock lock = channel.tryLock(0, Long.MAX_VALUE, shared);
            for (int i = 0; shared && lock == null && i < ATTEMPTS; i++) {
                pause();
                lock = channel.tryLock(0, Long.MAX_VALUE, true);
            }
            if (lock == null) {
                throw inUse(folder, owner(channel));
            }
            if (!shared) {
                channel.truncate(0);
                String owner = "process " + ProcessHandle.current().pid();
                channel.write(ByteBuffer.wrap(owner.getBytes(StandardCharsets.UTF_8)), 0);
            }
            return channel;
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(ATTEMPT_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static String owner(FileChannel channel) throws IOException {
        ByteBuffer text = ByteBuffer.allocate(64);
        channel.read(text, 0);
        String owner = new String(text.array(), 0, text.position(), StandardCharsets.UTF_8);
        return owner.matches("process \\d+") ? owner : "another process";
    }

    private static FileException inUse(Path folder, String owner) {
        return new FileException(
                folder.toString(),
                "is in use by another run (" + owner
                        + "): wait until it has ended, or choose another folder with --output");
    }

    @Override
    public void close() {
        synchronized (HELD) {
            HELD.remove(key);
            try {
                channel.close();
            } catch (IOException e) {
                LOG.debug("the lock of {} could not be released: {}", key, e.toString());
            }
        }
    }
}
