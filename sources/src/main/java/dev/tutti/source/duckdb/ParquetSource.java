package dev.tutti.source.duckdb;

import dev.tutti.data.DataException;
import dev.tutti.source.table.BadRowLog;
import dev.tutti.source.table.ColumnSegment;
import dev.tutti.source.table.ColumnStoreWriter;
import dev.tutti.source.table.FileSet;
import dev.tutti.source.table.Schema;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Parquet files; only the columns that are wanted are read, some row groups at a time on all cores. */
public final class ParquetSource extends FileTable {
    private static final long LEAST_ROWS = 1 << 16;

    private ParquetSource() {}

    private ParquetSource(List<String> files) {
        super(files);
    }

    /** Files, folders and patterns such as {@code data/*.parquet}. */
    public static ParquetSource of(String... files) {
        return new ParquetSource(List.of(files));
    }

    @Override
    List<String> endings() {
        return List.of(".parquet");
    }

    @Override
    String relation(FileSet found, Schema wanted) {
        return "read_parquet(" + list(found) + ")";
    }

    /** Rows of a file: whole row groups. */
    private record Range(String file, long from, long to) {
        String relation() {
            return "read_parquet(" + DuckDb.literal(file) + ", file_row_number = true) WHERE file_row_number >= " + from
                    + " AND file_row_number < " + to;
        }
    }

    /** The row groups of a file in their order, joined until they have enough rows for a query of their own. */
    private static List<Range> ranges(DuckDb database, FileSet found) {
        List<Range> all = new ArrayList<>();
        for (Path file : found.files()) {
            long from = 0;
            long to = 0;
            for (Map<String, String> group : database.rows("SELECT any_value(row_group_num_rows) AS rows FROM"
                    + " parquet_metadata(" + DuckDb.literal(file.toString())
                    + ") GROUP BY row_group_id ORDER BY row_group_id")) {
                to += Long.parseLong(group.get("rows"));
                if (to - from >= LEAST_ROWS) {
                    all.add(new Range(file.toString(), from, to));
                    from = to;
                }
            }
            if (to > from) {
                all.add(new Range(file.toString(), from, to));
            }
        }
        return all;
    }

    @Override
    protected void read(Schema schema, ColumnStoreWriter into, BadRowLog bad) {
        FileSet found = found();
        Map<String, String> types;
        List<Range> ranges;
        try (DuckDb database = new DuckDb(toString())) {
            types = nativeTypes(database, found);
            ranges = ranges(database, found);
        }
        int threads = Math.max(1, Math.min(4, Runtime.getRuntime().availableProcessors()));
        ExecutorService pool = Executors.newFixedThreadPool(threads, work -> {
            Thread thread = new Thread(work, "tutti-parquet");
            thread.setDaemon(true);
            return thread;
        });
        Queue<Future<ColumnSegment>> underWay = new ArrayDeque<>();
        try {
            for (Range range : ranges) {
                underWay.add(pool.submit(() -> segment(range, schema, types)));
                if (underWay.size() > threads) {
                    into.append(underWay.remove().get());
                }
            }
            while (!underWay.isEmpty()) {
                into.append(underWay.remove().get());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DataException("interrupted while " + this + " was being read", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException known) {
                throw known;
            }
            throw new IllegalStateException(e.getCause());
        } finally {
            pool.shutdownNow();
        }
    }

    private ColumnSegment segment(Range range, Schema schema, Map<String, String> types) {
        ColumnSegment segment = new ColumnSegment(schema, Math.toIntExact(range.to() - range.from()));
        try (DuckDb database = new DuckDb(toString())) {
            database.scan(range.relation(), schema, types, segment);
        }
        return segment;
    }
}
