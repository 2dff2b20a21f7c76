package dev.tutti.source.duckdb;

import dev.tutti.source.table.FileSet;
import dev.tutti.source.table.Schema;
import java.util.List;

/** Files with a JSON object on each line, plain or packed with gzip or zstd. Objects within objects are read as their text. */
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
        return "read_json(" + list(found) + ", format='newline_delimited')";
    }
}
