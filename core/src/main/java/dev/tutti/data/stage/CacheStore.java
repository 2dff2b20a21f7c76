package dev.tutti.data.stage;

import dev.tutti.array.NdArray;
import dev.tutti.data.DataException;
import dev.tutti.data.Sample;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rows kept by their place: in memory up to a limit, beyond it in one temporary file. Any number of readers may put
 * and get at the same time; the first row put at a place stays.
 *
 * <p>The file has no name for longer than it takes to open it, so that nothing is left behind however the JVM ends;
 * where the system forbids that, it is deleted when the JVM exits. It is closed when the last dataset that uses it is
 * gone.
 */
public final class CacheStore {
    private static final Logger LOG = LoggerFactory.getLogger(CacheStore.class);
    private static final int PAGE = 4096;
    /** About what the objects around a row's values take. */
    private static final int ROW_OVERHEAD = 256;

    private final long limit;
    private final Path folder;
    private final Map<Long, AtomicReferenceArray<Object>> pages = new ConcurrentHashMap<>();
    private long memoryBytes;
    private RandomAccessFile file;
    private long fileBytes;

    /** Where in the file a row lies. */
    private record Slot(long number, long copy, long offset, int length) {}

    /**
     * Begins empty.
     *
     * @param limit bytes to keep in memory
     * @param folder where the file goes, should one be needed
     */
    public CacheStore(long limit, Path folder) {
        this.limit = limit;
        this.folder = folder;
    }

    /** The row at a place, or null when it has not been put yet. */
    public Row get(long place) {
        AtomicReferenceArray<Object> page = pages.get(place / PAGE);
        Object entry = page == null ? null : page.get((int) (place % PAGE));
        return entry instanceof Slot slot ? read(slot) : (Row) entry;
    }

    public synchronized void put(long place, Row row) {
        AtomicReferenceArray<Object> page = pages.computeIfAbsent(place / PAGE, n -> new AtomicReferenceArray<>(PAGE));
        int at = (int) (place % PAGE);
        if (page.get(at) != null) {
            return;
        }
        long bytes = ROW_OVERHEAD + valueBytes(row.sample());
        if (memoryBytes + bytes <= limit) {
            memoryBytes += bytes;
            page.set(at, row);
        } else {
            page.set(at, write(row));
        }
    }

    private static long valueBytes(Sample sample) {
        long bytes = 0;
        for (NdArray array : sample.features()) {
            bytes += (long) array.size() * array.type().bytes();
        }
        for (NdArray array : sample.labels()) {
            bytes += (long) array.size() * array.type().bytes();
        }
        return bytes;
    }

    private Slot write(Row row) {
        ByteBuffer encoded = SampleCodec.encode(row.sample());
        try {
            if (file == null) {
                file = openNameless();
            }
            file.seek(fileBytes);
            file.write(encoded.array(), 0, encoded.limit());
        } catch (IOException e) {
            throw new DataException(
                    "the dataset's cache outgrew its " + limit + " bytes of memory and its file in " + folder
                            + " cannot be written (" + e + "): free some space, give cache(...) a higher limit,"
                            + " or choose another folder with -Djava.io.tmpdir",
                    e);
        }
        Slot slot = new Slot(row.number(), row.copy(), fileBytes, encoded.limit());
        fileBytes += encoded.limit();
        return slot;
    }

    private synchronized Row read(Slot slot) {
        byte[] encoded = new byte[slot.length()];
        try {
            file.seek(slot.offset());
            file.readFully(encoded);
        } catch (IOException e) {
            throw new DataException("the dataset's cache file in " + folder + " cannot be read: " + e, e);
        }
        return new Row(slot.number(), slot.copy(), SampleCodec.decode(encoded));
    }

    /**
     * A plain file rather than a channel: an interrupt, such as that of a closing reader, would close a channel for
     * all.
     */
    private RandomAccessFile openNameless() throws IOException {
        Path path = Files.createTempFile(folder, "tutti-cache-", ".bin");
        LOG.info("The dataset's cache has filled its {} bytes of memory; the rest goes to a file in {}", limit, folder);
        try {
            return new RandomAccessFile(path.toFile(), "rw");
        } finally {
            try {
                Files.delete(path);
            } catch (IOException e) {
                path.toFile().deleteOnExit();
            }
        }
    }
}
