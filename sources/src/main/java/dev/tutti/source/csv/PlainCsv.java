package dev.tutti.source.csv;

import dev.tutti.data.DataException;
import dev.tutti.host.BackgroundThread;
import dev.tutti.source.table.ColumnStoreWriter;
import dev.tutti.source.table.Schema;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Reads plain files of comma-separated values: they are cut into segments of whole lines, which are parsed on all cores and put
 * together in their order.
 *
 * <p>It gives the same table as DuckDB does, or none: at the first line that can be read in more than one way, or is wrong, it gives
 * up, and DuckDB reads the files and says what is wrong with them.
 */
public final class PlainCsv {
    private static final int SEGMENT = 1 << 20;
    private static final int LONGEST_LINE = 1 << 20;

    private final CsvDialect dialect;
    private final Schema wanted;
    private final Set<String> missing;
    private final Deque<CsvSegment> free = new ArrayDeque<>();
    private final Queue<Parsing> underWay = new ArrayDeque<>();

    private record Parsing(CsvSegment segment, Future<Boolean> plain) {}

    /** @param missing texts that stand for a missing value */
    public PlainCsv(CsvDialect dialect, Schema wanted, Set<String> missing) {
        this.dialect = dialect;
        this.wanted = wanted;
        this.missing = missing;
    }

    /** Whether these files and columns are worth a try. */
    public static boolean reads(List<Path> files, Schema wanted) {
        return CsvSegment.reads(wanted)
                && files.stream().noneMatch(file -> file.toString().matches(".*\\.(gz|zst|bz2|xz)"));
    }

    /**
     * Reads files into a table that is empty.
     *
     * @return false if they are not plain: then the table holds some of the rows
     */
    public boolean read(List<Path> files, ColumnStoreWriter into) {
        int threads = Math.max(1, Math.min(8, Runtime.getRuntime().availableProcessors()));
        for (int i = 0; i < threads + 2; i++) {
            free.add(new CsvSegment(dialect, wanted, missing));
        }
        ExecutorService pool = Executors.newFixedThreadPool(threads, work -> {
            Thread thread = new Thread(
                    () -> {
                        BackgroundThread.enter();
                        work.run();
                    },
                    "tutti-csv");
            thread.setDaemon(true);
            return thread;
        });
        try {
            byte[] header = null;
            for (Path file : files) {
                try (InputStream in = Files.newInputStream(file)) {
                    Lines lines = new Lines(in);
                    byte[] first = lines.first();
                    header = header == null ? first : header;
                    if (first == null || !Arrays.equals(header, first) || !read(lines, pool, into)) {
                        return false;
                    }
                } catch (IOException e) {
                    throw new DataException(file + ": cannot be read: " + e.getMessage(), e);
                }
            }
            return finish(into, 0);
        } finally {
            pool.shutdownNow();
        }
    }

    private boolean read(Lines lines, ExecutorService pool, ColumnStoreWriter into) throws IOException {
        while (true) {
            if (free.isEmpty() && !finish(into, underWay.size() - 1)) {
                return false;
            }
            CsvSegment segment = free.remove();
            if (!lines.fill(segment)) {
                free.add(segment);
                return !lines.isTooLong();
            }
            underWay.add(new Parsing(segment, pool.submit(segment::parse)));
        }
    }

    /** Takes in the oldest segments until only so many are under way; gives whether all were plain. */
    private boolean finish(ColumnStoreWriter into, int left) {
        while (underWay.size() > left) {
            Parsing oldest = underWay.remove();
            try {
                if (!oldest.plain().get()) {
                    return false;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new DataException("interrupted while a table was being read", e);
            } catch (ExecutionException e) {
                throw new IllegalStateException(e.getCause());
            }
            oldest.segment().copy(into);
            free.add(oldest.segment());
        }
        return true;
    }

    /** Cuts a file into whole lines. */
    private static final class Lines {
        private final InputStream in;
        private byte[] rest = new byte[0];
        private boolean tooLong;

        Lines(InputStream in) {
            this.in = in;
        }

        boolean isTooLong() {
            return tooLong;
        }

        /** The first line without its end; null if there is none that is plain. */
        byte[] first() throws IOException {
            rest = in.readNBytes(SEGMENT);
            for (int i = 0; i < rest.length; i++) {
                if (rest[i] == '\n') {
                    byte[] line = Arrays.copyOf(rest, i > 0 && rest[i - 1] == '\r' ? i - 1 : i);
                    rest = Arrays.copyOfRange(rest, i + 1, rest.length);
                    return line;
                }
            }
            return null;
        }

        /** Gives the next lines to a segment; false at the end, or where a line is too long. */
        boolean fill(CsvSegment segment) throws IOException {
            byte[] bytes = segment.room(rest.length + SEGMENT);
            System.arraycopy(rest, 0, bytes, 0, rest.length);
            int read = in.readNBytes(bytes, rest.length, SEGMENT);
            int size = rest.length + read;
            if (read < SEGMENT) {
                rest = new byte[0];
                segment.filled(size);
                return size > 0;
            }
            int end = size;
            while (end > 0 && bytes[end - 1] != '\n') {
                end--;
            }
            tooLong = size - end > LONGEST_LINE;
            rest = Arrays.copyOfRange(bytes, end, size);
            segment.filled(end);
            return !tooLong;
        }
    }
}
