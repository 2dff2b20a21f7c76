package dev.tutti.source.duckdb;

import dev.tutti.data.DataException;
import dev.tutti.source.table.BadRowLog;
import dev.tutti.source.table.ColumnStoreWriter;
import dev.tutti.source.table.FileSet;
import dev.tutti.source.table.Schema;
import dev.tutti.source.table.TableSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The result of a query in DuckDB's SQL over any files it reads: {@code select ... from 'data/*.parquet' where ...}.
 *
 * <p>Queries that DuckDB computes in the order of their files are read on all cores. Joins, groups and the like are computed on
 * one thread, so that every member gets their rows in the same order.
 */
public final class SqlSource extends TableSource {
    private static final List<String> ENDINGS = List.of(".csv", ".tsv", ".parquet", ".json", ".jsonl", ".ndjson");
    private static final Pattern QUOTED =
            Pattern.compile("'([^']+\\.(?:csv|tsv|parquet|json|jsonl|ndjson)(?:\\.gz|\\.zst)?)'");

    private String query;

    private SqlSource() {}

    private SqlSource(String query) {
        this.query = query;
    }

    public static SqlSource of(String query) {
        return new SqlSource(query);
    }

    private String relation() {
        if (query == null || query.isBlank()) {
            throw new DataException("a sql source needs a 'query', such as select * from 'data/*.parquet'");
        }
        return "(" + query.strip().replaceFirst(";\\s*$", "") + ")";
    }

    @Override
    protected Schema inspect() {
        try (DuckDb database = new DuckDb(toString())) {
            return database.describe(relation());
        }
    }

    @Override
    protected void read(Schema schema, ColumnStoreWriter into, BadRowLog bad) {
        try (DuckDb database = DuckDb.bounded(toString(), memoryBytes())) {
            database.read(relation(), schema, into);
        }
    }

    /** The files that stand in quotes in the query; others are known to DuckDB alone. */
    private Optional<FileSet> files() {
        List<String> names = new ArrayList<>();
        for (Matcher quoted = QUOTED.matcher(relation()); quoted.find(); ) {
            names.add(quoted.group(1));
        }
        return names.isEmpty() ? Optional.empty() : Optional.of(FileSet.of(names, ENDINGS));
    }

    @Override
    protected String state() {
        return files().map(FileSet::state).orElse("");
    }

    @Override
    protected void requireUnchanged(String before) {
        files().ifPresent(files -> files.requireUnchanged(before));
    }

    @Override
    public String toString() {
        return "sql(" + query + ")";
    }
}
