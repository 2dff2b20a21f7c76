package dev.tutti.source;

import dev.tutti.data.DataException;
import dev.tutti.source.duckdb.CsvSource;
import dev.tutti.source.duckdb.JsonLinesSource;
import dev.tutti.source.duckdb.ParquetSource;
import dev.tutti.source.duckdb.SqlSource;
import dev.tutti.source.table.TableSource;

/** Sources by the names they have in job files. */
public final class Sources {
    private Sources() {}

    /** Comma-separated values: files, folders and patterns such as {@code data/*.csv.gz}. */
    public static CsvSource csv(String... files) {
        return CsvSource.of(files);
    }

    /** Parquet: files, folders and patterns. */
    public static ParquetSource parquet(String... files) {
        return ParquetSource.of(files);
    }

    /** JSON lines: files, folders and patterns. */
    public static JsonLinesSource jsonLines(String... files) {
        return JsonLinesSource.of(files);
    }

    /** Whether a path, pattern or address is one that {@link #table} reads. */
    public static boolean isTable(String path) {
        return TableAddress.of(path).isPresent();
    }

    /**
     * The table behind a path, pattern or address, by what it ends in.
     *
     * @throws dev.tutti.data.DataException if it ends in nothing known
     */
    public static TableSource table(String path) {
        return TableAddress.of(path)
                .orElseThrow(() -> new DataException(path + ": expected a table: " + TableAddress.KNOWN))
                .source();
    }

    /** A query in DuckDB's SQL: {@code sql("select ... from 'data/*.parquet'")}. */
    public static SqlSource sql(String query) {
        return SqlSource.of(query);
    }
}
