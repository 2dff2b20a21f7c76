package dev.tutti.source.duckdb;

import com.fasterxml.jackson.annotation.JsonFormat;
import dev.tutti.source.table.BadRowLog;
import dev.tutti.source.table.ColumnStoreWriter;
import dev.tutti.source.table.FileSet;
import dev.tutti.source.table.Schema;
import dev.tutti.source.table.SharedCache;
import dev.tutti.source.table.TableSource;
import java.util.List;
import java.util.Map;
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
            return DuckDb.schema(nativeTypes(database, found()));
        }
    }

    /** The types that DuckDB gives the columns, found out once for the files as they are. */
    final Map<String, String> nativeTypes(DuckDb database, FileSet found) {
        String relation = relation(found, new Schema(List.of()));
        return SharedCache.get(
                        NativeTypes.class,
                        relation,
                        found.state(),
                        () -> new NativeTypes(findTypes(database, found, relation)))
                .types;
    }

    /** Has DuckDB find out the types. */
    Map<String, String> findTypes(DuckDb database, FileSet found, String relation) {
        return database.nativeTypes(relation);
    }

    private record NativeTypes(Map<String, String> types) {}

    @Override
    protected void read(Schema schema, ColumnStoreWriter into, BadRowLog bad) {
        try (DuckDb database = new DuckDb(toString())) {
            FileSet found = found();
            database.scan(relation(found, schema), schema, nativeTypes(database, found), into);
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
