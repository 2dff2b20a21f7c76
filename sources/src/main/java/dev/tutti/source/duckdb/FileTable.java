package dev.tutti.source.duckdb;

import com.fasterxml.jackson.annotation.JsonFormat;
import dev.tutti.source.table.BadRowLog;
import dev.tutti.source.table.ColumnStoreWriter;
import dev.tutti.source.table.FileSet;
import dev.tutti.source.table.Schema;
import dev.tutti.source.table.TableSource;
import java.util.List;
import java.util.stream.Collectors;

/** A table that lies in files of one kind, which DuckDB reads. */
abstract class FileTable extends TableSource {
    @JsonFormat(with = JsonFormat.Feature.ACCEPT_SINGLE_VALUE_AS_ARRAY)
    private List<String> files = List.of();

    FileTable() {}

    FileTable(List<String> files) {
        this.files = List.copyOf(files);
    }

    /** What the names of such files end in. */
    abstract List<String> endings();

    /** The call of DuckDB that reads these files. */
    abstract String relation(FileSet found, Schema wanted);

    final FileSet found() {
        return FileSet.of(files, endings());
    }

    static String list(FileSet found) {
        return found.files().stream()
                .map(file -> DuckDb.literal(file.toString()))
                .collect(Collectors.joining(", ", "[", "]"));
    }

    @Override
    protected Schema inspect() {
        try (DuckDb database = new DuckDb(toString())) {
            return database.describe(relation(found(), new Schema(List.of())));
        }
    }

    @Override
    protected void read(Schema schema, ColumnStoreWriter into, BadRowLog bad) {
        try (DuckDb database = new DuckDb(toString())) {
            database.read(relation(found(), schema), schema, into);
        }
    }

    @Override
    protected final String state() {
        return found().state();
    }

    @Override
    protected final void requireUnchanged(String before) {
        found().requireUnchanged(before);
    }

    @Override
    public final String toString() {
        return String.join(", ", files);
    }
}
