package dev.tutti.source.duckdb;

import com.fasterxml.jackson.annotation.JsonFormat;
import dev.tutti.source.csv.CsvDialect;
import dev.tutti.source.csv.PlainCsv;
import dev.tutti.source.table.BadRowLog;
import dev.tutti.source.table.ColumnStoreWriter;
import dev.tutti.source.table.ColumnType;
import dev.tutti.source.table.FileSet;
import dev.tutti.source.table.Schema;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Files of comma-separated values, plain or packed with gzip or zstd. Delimiter, quotes, header and types are found out from the
 * first 20,480 lines; a value behind them that does not fit its column's type makes its line a bad row. Plain files are parsed here,
 * all others by DuckDB, with the same result.
 */
public final class CsvSource extends FileTable {
    private static final Pattern VALUE =
            Pattern.compile("Could not convert string \"(.*)\" to '?([A-Z ]+)'?", Pattern.DOTALL);

    private String delimiter;
    private String quote;
    private Boolean header;

    @JsonFormat(with = JsonFormat.Feature.ACCEPT_SINGLE_VALUE_AS_ARRAY)
    private List<String> missing = List.of("", "NA", "?");

    private CsvSource() {}

    private CsvSource(List<String> files) {
        super(files);
    }

    /** Files, folders and patterns such as {@code data/*.csv.gz}. */
    public static CsvSource of(String... files) {
        return new CsvSource(List.of(files));
    }

    /** What stands between values, where it cannot be found out. */
    public CsvSource delimiter(String text) {
        return changed(this, source -> source.delimiter = text);
    }

    /** What stands around values that hold a delimiter, where it cannot be found out; an empty text for nothing. */
    public CsvSource quote(String text) {
        return changed(this, source -> source.quote = text);
    }

    /** Whether the first line holds the names of the columns, where it cannot be found out. */
    public CsvSource header(boolean present) {
        return changed(this, source -> source.header = present);
    }

    /** What stands for a missing value: nothing, {@code NA} and {@code ?} by default. */
    public CsvSource missing(String... texts) {
        return changed(this, source -> source.missing = List.of(texts));
    }

    @Override
    List<String> endings() {
        return List.of(".csv", ".tsv");
    }

    @Override
    String relation(FileSet found, Schema wanted) {
        List<String> settings = new ArrayList<>();
        settings.add("store_rejects=true");
        settings.add(missing.stream().map(DuckDb::literal).collect(Collectors.joining(", ", "nullstr=[", "]")));
        if (delimiter != null) {
            settings.add("delim=" + DuckDb.literal(delimiter));
        }
        if (quote != null) {
            settings.add("quote=" + DuckDb.literal(quote) + ", escape=" + DuckDb.literal(quote));
        }
        if (header != null) {
            settings.add("header=" + header);
        }
        if (wanted.size() > 0) {
            settings.add(wanted.columns().stream()
                    .map(column -> DuckDb.literal(column.name()) + ": " + DuckDb.literal(type(column.type())))
                    .collect(Collectors.joining(", ", "types={", "}")));
        }
        return "read_csv(" + list(found) + ", " + String.join(", ", settings) + ")";
    }

    private static String type(ColumnType type) {
        return switch (type) {
            case NUMBER -> "DOUBLE";
            case INTEGER -> "BIGINT";
            case BOOLEAN -> "BOOLEAN";
            case TIME -> "TIMESTAMP";
            case TEXT -> "VARCHAR";
        };
    }

    /** The way the files are written, if their first lines leave no doubt. */
    private Optional<CsvDialect> dialect(FileSet found) {
        try {
            return Boolean.FALSE.equals(header)
                    ? Optional.empty()
                    : CsvDialect.of(found.files().get(0), delimiter);
        } catch (IOException e) {
            return Optional.empty(); // DuckDB says what is wrong
        }
    }

    @Override
    protected List<String> names() {
        return dialect(found()).map(CsvDialect::names).orElseGet(super::names);
    }

    private boolean readPlain(FileSet found, Schema schema, ColumnStoreWriter into) {
        Optional<CsvDialect> dialect = PlainCsv.reads(found.files(), schema) ? dialect(found) : Optional.empty();
        return dialect.filter(certain -> certain.names().containsAll(schema.names()))
                .map(certain -> new PlainCsv(certain, schema, Set.copyOf(missing)).read(found.files(), into))
                .orElse(false);
    }

    @Override
    protected void read(Schema schema, ColumnStoreWriter into, BadRowLog bad) {
        FileSet found = found();
        if (readPlain(found, schema, into)) {
            return;
        }
        into.restart();
        try (DuckDb database = new DuckDb(toString())) {
            database.scan(relation(found, schema), schema, into, this::trimmed);
            for (Map<String, String> error : database.rows("SELECT DISTINCT s.file_path, e.line, e.column_name,"
                    + " e.error_type, e.error_message, e.csv_line FROM reject_errors e JOIN reject_scans s"
                    + " USING (scan_id, file_id) ORDER BY 1, 2, 3")) {
                reject(error, bad);
            }
        }
    }

    /** Blanks around a text are no part of it, and do not hide that it stands for a missing value. */
    private String trimmed(String expression) {
        String words = missing.stream().map(DuckDb::literal).collect(Collectors.joining(", "));
        String text = "trim(" + expression + ")";
        return missing.isEmpty() ? text : "CASE WHEN " + text + " IN (" + words + ") THEN NULL ELSE " + text + " END";
    }

    private static void reject(Map<String, String> error, BadRowLog bad) {
        String place = Path.of(error.get("file_path")) + ", line " + error.get("line");
        String message = error.get("error_message");
        Matcher value = VALUE.matcher(message);
        String reason = value.find()
                ? "column '" + error.get("column_name") + "': expected " + word(value.group(2)) + ", received '"
                        + value.group(1) + "'"
                : message.lines().findFirst().orElse(error.get("error_type"));
        bad.add(place, reason, String.valueOf(error.get("csv_line")));
    }

    private static String word(String type) {
        return switch (type) {
            case "DOUBLE" -> "a number";
            case "BIGINT" -> "a whole number";
            case "BOOLEAN" -> "true or false";
            case "TIMESTAMP", "DATE" -> "a date or time";
            default -> type;
        };
    }
}
