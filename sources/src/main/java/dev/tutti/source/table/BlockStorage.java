package dev.tutti.source.table;

import dev.tutti.data.DataException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps blocks in memory up to a limit, and maps those behind it from one file in the {@link TableCache}'s folder. The file loses its
 * name as soon as it is open, so that nothing is left however the JVM ends; where the system forbids that, it is deleted when the
 * JVM exits. A storage for a {@link TableFile} keeps nothing in memory and writes to the file it is given.
 */
final class BlockStorage implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BlockStorage.class);

    private final long limit;
    private final Path folder;
    private long memoryBytes;
    private long fileBytes;
    private FileChannel file;

    /**
     * Begins empty.
     *
     * @param limit bytes to keep in memory
     * @param folder where the file goes, should one be needed
     */
    BlockStorage(long limit, Path folder) {
        this.limit = limit;
        this.folder = folder;
    }

    /** A storage that keeps all blocks in a file that is open for reading and writing; it closes the file. */
    static BlockStorage in(FileChannel file, Path folder) {
        BlockStorage storage = new BlockStorage(0, folder);
        storage.file = file;
        return storage;
    }

    ColumnBlock keep(ColumnBlock block) {
        ByteBuffer data = block.data();
        if (memoryBytes + data.remaining() <= limit) {
            memoryBytes += data.remaining();
            return block;
        }
        try {
            if (file == null) {
                file = openNameless();
            }
            long from = fileBytes;
            while (data.hasRemaining()) {
                fileBytes += file.write(data, fileBytes);
            }
            return block.over(file.map(FileChannel.MapMode.READ_ONLY, from, fileBytes - from), from);
        } catch (IOException e) {
            throw new DataException(
                    "the table has filled its " + limit + " bytes of memory, and its file in " + folder
                            + " cannot be written (" + e.getMessage()
                            + "): free some space, raise 'memory' of the source, or choose another folder with "
                            + TableCache.VARIABLE,
                    e);
        }
    }

    /** Forgets all blocks. */
    void clear() {
        memoryBytes = 0;
        fileBytes = 0;
    }

    long memoryBytes() {
        return memoryBytes;
    }

    long fileBytes() {
        return fileBytes;
    }

    private FileChannel openNameless() throws IOException {
        Files.createDirectories(folder);
        Path path = Files.createTempFile(folder, "tutti-table-", ".bin");
        LOG.info("A table has filled its {} bytes of memory; the rest goes to a file in {}", limit, folder);
        FileChannel channel = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
        try {
            Files.delete(path);
        } catch (IOException e) {
            path.toFile().deleteOnExit();
        }
        return channel;
    }

    /** Closes the file; blocks that are mapped from it stay. */
    @Override
    public void close() {
        if (file != null) {
            try {
                file.close();
            } catch (IOException e) {
                LOG.debug("a table's temporary file could not be closed", e);
            }
        }
    }
}
