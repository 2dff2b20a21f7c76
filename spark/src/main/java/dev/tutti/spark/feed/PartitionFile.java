package dev.tutti.spark.feed;

import dev.tutti.data.Sample;
import dev.tutti.data.source.Source;
import dev.tutti.io.FileException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;
import scala.collection.Iterator;

/**
 * The rows of a partition in a file of floats, which later epochs read.
 *
 * <p>Rows are given in the order of a hash of their content: Spark may compute a partition a second time with the same rows in another
 * order, and a position in it must mean the same rows for every member.
 */
final class PartitionFile implements AutoCloseable {
    private static final int ROWS_PER_CHECK = 1024;
    private static final int BUFFER = 1 << 20;
    private static final long SEGMENT = 1L << 30;

    private final Path path;
    private final RowLayout layout;
    private final int[] order;
    private final long digest;
    private final FloatBuffer[] segments;
    private final int rowsPerSegment;

    private PartitionFile(Path path, RowLayout layout, long[] hashes) throws IOException {
        this.path = path;
        this.layout = layout;
        this.order = order(hashes);
        this.digest = digest(hashes, order);
        long bytes = layout.width() * (long) Float.BYTES;
        rowsPerSegment = (int) Math.max(1, SEGMENT / bytes);
        segments = new FloatBuffer[(hashes.length + rowsPerSegment - 1) / rowsPerSegment];
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            for (int i = 0; i < segments.length; i++) {
                long from = i * (long) rowsPerSegment;
                long rows = Math.min(rowsPerSegment, hashes.length - from);
                segments[i] = channel.map(FileChannel.MapMode.READ_ONLY, from * bytes, rows * bytes)
                        .order(ByteOrder.nativeOrder())
                        .asFloatBuffer();
            }
        }
    }

    /** Writes all rows of a partition. */
    static PartitionFile write(Path path, RowLayout layout, Iterator<InternalRow> rows, TaskContext context) {
        float[] values = new float[layout.width()];
        int bytes = values.length * Float.BYTES;
        ByteBuffer buffer =
                ByteBuffer.allocateDirect(Math.max(BUFFER / bytes, 1) * bytes).order(ByteOrder.nativeOrder());
        long[] hashes = new long[256];
        int count = 0;
        try (FileChannel out = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            while (rows.hasNext()) {
                layout.copy(rows.next(), values);
                if (count == hashes.length) {
                    hashes = Arrays.copyOf(hashes, Math.multiplyExact(count, 2));
                }
                hashes[count++] = hash(values);
                if (count % ROWS_PER_CHECK == 0) {
                    context.killTaskIfInterrupted();
                }
                buffer.asFloatBuffer().put(values);
                buffer.position(buffer.position() + bytes);
                if (!buffer.hasRemaining()) {
                    flush(buffer, out);
                }
            }
            flush(buffer, out);
            return new PartitionFile(path, layout, Arrays.copyOf(hashes, count));
        } catch (IOException e) {
            throw new FileException(
                    path.toString(), "the rows of a partition cannot be kept for later epochs: " + e.getMessage(), e);
        }
    }

    private static void flush(ByteBuffer buffer, FileChannel out) throws IOException {
        buffer.flip();
        while (buffer.hasRemaining()) {
            out.write(buffer);
        }
        buffer.clear();
    }

    static long hash(float[] values) {
        long hash = values.length;
        for (float value : values) {
            hash = (hash ^ Float.floatToRawIntBits(value)) * 0x9E3779B97F4A7C15L;
            hash ^= hash >>> 32;
        }
        return hash;
    }

    /** Row numbers by the hash of their content; rows with equal hashes are equal. */
    static int[] order(long[] hashes) {
        int bits = 64 - Long.numberOfLeadingZeros(Math.max(1, hashes.length));
        long low = (1L << bits) - 1;
        long[] keys = new long[hashes.length];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = hashes[i] & ~low | i;
        }
        Arrays.sort(keys);
        int[] order = new int[keys.length];
        for (int i = 0; i < keys.length; i++) {
            order[i] = (int) (keys[i] & low);
        }
        int from = 0;
        for (int i = 1; i <= keys.length; i++) { // the few whose upper bits are the same
            if (i == keys.length || (keys[i] & ~low) != (keys[from] & ~low)) {
                if (i - from > 1) {
                    int[] run = Arrays.stream(order, from, i)
                            .boxed()
                            .sorted((a, b) -> Long.compare(hashes[a], hashes[b]))
                            .mapToInt(Integer::intValue)
                            .toArray();
                    System.arraycopy(run, 0, order, from, run.length);
                }
                from = i;
            }
        }
        return order;
    }

    private static long digest(long[] hashes, int[] order) {
        CRC32C checksum = new CRC32C();
        ByteBuffer eight = ByteBuffer.allocate(Long.BYTES);
        for (int row : order) {
            checksum.update(eight.putLong(0, hashes[row]).rewind());
        }
        return checksum.getValue();
    }

    int rows() {
        return order.length;
    }

    /** A checksum of all rows, the same for every order of them. */
    long digest() {
        return digest;
    }

    Source.Cursor cursor(long skip) {
        return new Source.Cursor() {
            private int next = (int) Math.min(skip, order.length);

            @Override
            public Optional<Sample> next() {
                if (next >= order.length) {
                    return Optional.empty();
                }
                int row = order[next++];
                FloatBuffer segment = segments[row / rowsPerSegment].duplicate();
                segment.position(row % rowsPerSegment * layout.width());
                return Optional.of(layout.sample(segment));
            }
        };
    }

    @Override
    public void close() {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            path.toFile().deleteOnExit();
        }
    }
}
