package dev.tutti.cluster.journal;

import dev.tutti.cluster.coordinator.PrivateFiles;
import dev.tutti.io.FileException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;

/**
 * Keeps a folder for one coordinator, until it is closed or its process ends.
 *
 * <p>The lock is on a file of its own, which is never read or replaced: a process that closes any channel of a file loses all its
 * locks on it, and a file that is renamed takes its locks along. For the same reason this JVM asks itself before it opens the file.
 */
final class FolderLock implements AutoCloseable {
    private static final String NAME = "coordinator.lock";
    private static final Set<Path> HELD = Collections.synchronizedSet(new HashSet<>());

    private final Path folder;
    private final FileChannel channel;

    private FolderLock(Path folder, FileChannel channel) {
        this.folder = folder;
        this.channel = channel;
    }

    /** @throws FileException if another coordinator has it, of this process or another one */
    static FolderLock take(Path folder) throws IOException {
        Path real = folder.toRealPath();
        if (!HELD.add(real)) {
            throw taken(folder);
        }
        FileChannel channel = null;
        try {
            channel =
                    PrivateFiles.open(real.resolve(NAME), Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE));
            if (channel.tryLock() == null) {
                throw taken(folder);
            }
            return new FolderLock(real, channel);
        } catch (IOException | RuntimeException e) {
            HELD.remove(real);
            if (channel != null) {
                channel.close();
            }
            throw e;
        }
    }

    private static FileException taken(Path folder) {
        return new FileException(
                folder.toString(), "another coordinator uses it: end that one, or give this one a folder of its own");
    }

    @Override
    public void close() throws IOException {
        channel.close();
        HELD.remove(folder);
    }
}
