package dev.tutti.source.duckdb;

import dev.tutti.data.DataException;
import dev.tutti.source.table.BadRowLog;
import dev.tutti.source.table.ColumnStoreWriter;
import dev.tutti.source.table.ColumnType;
import dev.tutti.source.table.FileSet;
import dev.tutti.source.table.Schema;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Parquet files; only the columns that are wanted are read, each thread some of them, some row groups at a time. */
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
        List<List<Integer>> shares = shares(schema);
        ExecutorService pool = Executors.newFixedThreadPool(shares.size(), work -> {
            Thread thread = new Thread(work, "tutti-parquet");
            thread.setDaemon(true);
            return thread;
        });
        try {
            for (Range range : ranges) {
                List<Callable<Void>> work = new ArrayList<>();
                for (List<Integer> share : shares) {
                    work.add(() -> scan(range, share, types, into));
                }
                for (Future<Void> done : pool.invokeAll(work)) {
                    done.get();
                }
                into.rowsDone();
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

    /** Which columns each thread reads: as many numbers and as many texts, which take longer, as the other threads. */
    private static List<List<Integer>> shares(Schema schema) {
        int threads = Math.max(1, Math.min(schema.size(), Runtime.getRuntime().availableProcessors()));
        List<List<Integer>> shares = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            shares.add(new ArrayList<>());
        }
        int next = 0;
        for (boolean texts : new boolean[] {true, false}) {
            for (int column = 0; column < schema.size(); column++) {
                if ((schema.column(column).type() == ColumnType.TEXT) == texts) {
                    shares.get(next++ % threads).add(column);
                }
            }
        }
        return shares;
    }

    /** Adds some columns of a range of rows to the table; other threads add the others. */
    private Void scan(Range range, List<Integer> share, Map<String, String> types, ColumnStoreWriter into) {
        Schema columns = new Schema(share.stream().map(into.schema()::column).toList());
        share.forEach(column -> into.column(column).reserve(Math.toIntExact(range.to() - range.from())));
        try (DuckDb database = new DuckDb(toString())) {
            database.scan(range.relation(), columns, types, index -> into.column(share.get(index)));
        }
        return null;
    }
}
