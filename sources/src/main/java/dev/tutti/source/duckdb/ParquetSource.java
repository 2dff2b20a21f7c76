package dev.tutti.source.duckdb;

import dev.tutti.source.table.FileSet;
import dev.tutti.source.table.Schema;
import java.util.List;

/** Parquet files; only the columns that are wanted are read. */
public final class ParquetSource extends FileTable {
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
}
