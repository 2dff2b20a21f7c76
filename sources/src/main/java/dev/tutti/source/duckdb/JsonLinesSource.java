package dev.tutti.source.duckdb;

import dev.tutti.data.DataException;
import dev.tutti.source.table.BadRowLog;
import dev.tutti.source.table.ColumnStoreWriter;
import dev.tutti.source.table.FileSet;
import dev.tutti.source.table.Schema;
import dev.tutti.source.table.TableCache;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Files with a JSON object on each line, plain or packed with gzip or zstd. Objects within objects are read as their text.
 *
 * <p>Types are found out from the first 20,480 lines. A line that is no object, or holds a value that does not fit its column, is a
 * bad row: where there are any, the files are checked line by line, and the good lines are read from a copy of them.
 */
public final class JsonLinesSource extends FileTable {
    private JsonLinesSource() {}

    private JsonLinesSource(List<String> files) {
        super(files);
    }

    /** Files, folders and patterns such as {@code data/*.jsonl.gz}. */
    public static JsonLinesSource of(String... files) {
        return new JsonLinesSource(List.of(files));
    }

    @Override
    List<String> endings() {
        return List.of(".jsonl", ".ndjson", ".json");
    }

    @Override
    String relation(FileSet found, Schema wanted) {
        return "read_json(" + list(found) + ", format='newline_delimited', ignore_errors=true)";
    }

    /** The call that reads lines as objects with columns of these types, and fails at one that is not. */
    private static String strict(FileSet found, Map<String, String> types) {
        String columns = types.entrySet().stream()
                .map(column -> DuckDb.quoted(column.getKey()) + ": " + DuckDb.literal(column.getValue()))
                .collect(Collectors.joining(", ", "{", "}"));
        return "read_json(" + list(found) + ", format='newline_delimited', records=true, columns=" + columns + ")";
    }

    /** A line that is no object hides the columns of the others: then the good lines alone are asked. */
    @Override
    Map<String, String> findTypes(DuckDb database, FileSet found, String relation) {
        Map<String, String> types = database.nativeTypes(relation);
        if (!types.equals(Map.of("json", "JSON"))) {
            return types;
        }
        BadRowLog bad = newBadRowLog();
        return withGoodLines(
                found,
                new Schema(List.of()),
                bad,
                good -> bad.count() == 0 ? types : database.nativeTypes(relation(good, new Schema(List.of()))));
    }

    @Override
    protected void read(Schema schema, ColumnStoreWriter into, BadRowLog bad) {
        FileSet found = found();
        try (DuckDb database = DuckDb.bounded(toString(), memoryBytes())) {
            Map<String, String> types = nativeTypes(database, found).entrySet().stream()
                    .filter(column -> schema.has(column.getKey()))
                    .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
            try {
                database.scan(strict(found, types), schema, types, into);
            } catch (DataException e) {
                into.restart();
                withGoodLines(found, schema, bad, good -> {
                    if (bad.count() == 0) {
                        throw e; // what DuckDB cannot read has another reason
                    }
                    database.scan(strict(good, types), schema, types, into);
                    return types;
                });
            }
        }
    }

    /** Uses a copy of the lines that can be read. */
    private static <T> T withGoodLines(FileSet found, Schema schema, BadRowLog bad, Function<FileSet, T> use) {
        try {
            Path good = TableCache.temporaryFile(".jsonl");
            try {
                try (Writer out = Files.newBufferedWriter(good)) {
                    new JsonLineCheck(schema, bad).copy(found.files(), out);
                }
                return use.apply(FileSet.of(List.of(good.toString()), List.of(".jsonl")));
            } finally {
                Files.deleteIfExists(good);
            }
        } catch (IOException e) {
            throw new DataException("the good lines of JSON cannot be copied: " + e.getMessage(), e);
        }
    }
}
