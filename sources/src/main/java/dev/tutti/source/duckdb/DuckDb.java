package dev.tutti.source.duckdb;

import dev.tutti.data.DataException;
import dev.tutti.source.table.ColumnBuilder;
import dev.tutti.source.table.ColumnStoreWriter;
import dev.tutti.source.table.ColumnType;
import dev.tutti.source.table.Schema;
import dev.tutti.source.table.TableCache;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.duckdb.DuckDBChunkedResult;
import org.duckdb.DuckDBConnection;
import org.duckdb.DuckDBDataChunkReader;
import org.duckdb.DuckDBPreparedStatement;
import org.duckdb.DuckDBReadableVector;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection to a DuckDB database in memory, for one table; closed when it was read. Connections share one database, except those
 * with a bound on their memory.
 */
final class DuckDb implements AutoCloseable {
    /** Operators whose result may come in another order when several threads work on them. */
    private static final String UNORDERED =
            "(?s).*─ [A-Za-z ]*(Join|Group|Aggregate|Distinct|Window|Union|Sample|Product).*";

    private static final Logger LOG = LoggerFactory.getLogger(DuckDb.class);
    private static final long STREAMED = 64L << 20;
    private static final int LONGEST_LINE = 16 << 20;

    /** DuckDB cannot work in less: a buffer for JSON alone takes half of it. */
    static final long LEAST_MEMORY = 64L << 20;

    private static DuckDBConnection shared;

    private final String source;
    private final Optional<Path> spill;
    private DuckDBConnection connection;

    /** @param source the name of the table in messages */
    DuckDb(String source) {
        this.source = source;
        this.spill = Optional.empty();
        try {
            connection = shared().duplicate().unwrap(DuckDBConnection.class);
        } catch (SQLException e) {
            throw notStarted(e);
        }
    }

    private DuckDb(String source, long memory) {
        this.source = source;
        this.spill = Optional.of(TableCache.temporaryFolder());
        long limit = Math.max(memory, LEAST_MEMORY);
        long threads = Math.max(1, Math.min(Runtime.getRuntime().availableProcessors(), limit / (2 * LEAST_MEMORY)));
        try {
            connection = open();
        } catch (SQLException e) {
            throw notStarted(e);
        }
        execute("SET memory_limit = '" + limit + "B'");
        execute("SET streaming_buffer_size = '" + Math.min(STREAMED, limit / 4) + "B'");
        execute("SET temp_directory = " + literal(spill.get().toString()));
        execute("SET threads = " + threads);
    }

    /**
     * A connection to a database of its own, which takes about so many bytes of memory at most, though not less than {@link
     * #LEAST_MEMORY}; what a query needs beyond them lies in temporary files.
     */
    static DuckDb bounded(String source, long memory) {
        return new DuckDb(source, memory);
    }

    private static DataException notStarted(SQLException e) {
        return new DataException("DuckDB cannot be started: " + e.getMessage(), e);
    }

    /** Bytes that the database holds in memory, and in temporary files; asked on a connection of its own, while others work. */
    long[] bytesInUse() {
        try (Connection other = connection.duplicate();
                Statement statement = other.createStatement();
                ResultSet result = statement.executeQuery("SELECT sum(memory_usage_bytes)::BIGINT,"
                        + " sum(temporary_storage_bytes)::BIGINT FROM duckdb_memory()")) {
            result.next();
            return new long[] {result.getLong(1), result.getLong(2)};
        } catch (SQLException e) {
            throw explained(e);
        }
    }

    private static synchronized DuckDBConnection shared() throws SQLException {
        if (shared == null) {
            shared = open();
        }
        return shared;
    }

    private static DuckDBConnection open() throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("jdbc_stream_results", "true");
        DuckDBConnection opened =
                DriverManager.getConnection("jdbc:duckdb:", properties).unwrap(DuckDBConnection.class);
        try (Statement statement = opened.createStatement()) {
            statement.execute("SET autoinstall_known_extensions = false");
            // Threads that read ahead wait when it is full.
            statement.execute("SET streaming_buffer_size = '" + STREAMED + "B'");
        }
        return opened;
    }

    /** Has a database of its own go on with a single thread. */
    private void useOneThread() {
        if (spill.isEmpty()) {
            throw new IllegalStateException("the database is shared");
        }
        execute("SET threads = 1");
    }

    void execute(String sql) {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw explained(e);
        }
    }

    /** A row of a result as text by the names of its columns. */
    List<Map<String, String>> rows(String sql) {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            List<Map<String, String>> rows = new ArrayList<>();
            while (result.next()) {
                Map<String, String> row = new LinkedHashMap<>();
                for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
                    row.put(result.getMetaData().getColumnName(i), result.getString(i));
                }
                rows.add(row);
            }
            return rows;
        } catch (SQLException e) {
            throw explained(e);
        }
    }

    /** The columns of a relation: a query in brackets, or a table function. */
    Schema describe(String relation) {
        return schema(nativeTypes(relation));
    }

    /** The columns that have these types in DuckDB. */
    static Schema schema(Map<String, String> nativeTypes) {
        List<Schema.Column> columns = new ArrayList<>();
        nativeTypes.forEach((name, type) -> columns.add(new Schema.Column(name, type(type))));
        return new Schema(columns);
    }

    private static ColumnType type(String name) {
        String plain = name.toUpperCase(Locale.ROOT);
        if (plain.endsWith("[]") || plain.matches(".*\\[\\d+]")) {
            return ColumnType.TEXT;
        }
        return switch (plain.replaceFirst("[( ].*", "")) {
            case "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER" -> ColumnType.INTEGER;
            case "UBIGINT", "HUGEINT", "UHUGEINT", "FLOAT", "DOUBLE", "DECIMAL", "BIGNUM" -> ColumnType.NUMBER;
            case "BOOLEAN" -> ColumnType.BOOLEAN;
            case "DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS" -> ColumnType.TIME;
            default -> ColumnType.TEXT;
        };
    }

    /** How a column is selected so that it comes as a double, a 64-bit number or text. */
    private static String selection(Schema.Column column, String nativeType, UnaryOperator<String> text) {
        String name = quoted(column.name());
        boolean list = nativeType.endsWith("]");
        String value = switch (column.type()) {
            case NUMBER -> "CAST(" + name + " AS DOUBLE)";
            case INTEGER -> "CAST(" + name + " AS BIGINT)";
            case BOOLEAN -> "CAST(CAST(" + name + " AS BOOLEAN) AS BIGINT)";
            case TIME -> "epoch_us(CAST(" + name + " AS TIMESTAMP))";
            case TEXT -> text.apply(list ? "array_to_string(" + name + ", ' ')" : "CAST(" + name + " AS VARCHAR)");
        };
        return value + " AS " + name;
    }

    static String quoted(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }

    static String literal(String text) {
        return "'" + text.replace("'", "''") + "'";
    }

    /** The types that DuckDB itself gives the columns of a relation, by their names. */
    Map<String, String> nativeTypes(String relation) {
        Map<String, String> types = new LinkedHashMap<>();
        rows("DESCRIBE FROM " + relation).forEach(row -> types.put(row.get("column_name"), row.get("column_type")));
        return types;
    }

    /** Reads columns of a relation in its order, which does not depend on the number of threads; for a bounded database. */
    void read(String relation, Schema schema, ColumnStoreWriter into) {
        Map<String, String> types = nativeTypes(relation);
        String sql = select(relation, schema, types, UnaryOperator.identity());
        if (rows("EXPLAIN " + sql).stream()
                .anyMatch(row -> row.values().stream().anyMatch(v -> v.matches(UNORDERED)))) {
            useOneThread();
        }
        run(sql, schema, into);
    }

    /**
     * Reads columns that have the wanted types already, in the order of their files: nothing need be found out first.
     *
     * @param text makes an expression of an expression for text
     */
    void scan(String relation, Schema schema, ColumnStoreWriter into, UnaryOperator<String> text) {
        run(select(relation, schema, Map.of(), text), schema, into);
    }

    /** Reads columns in the order of their files. */
    void scan(String relation, Schema schema, Map<String, String> nativeTypes, ColumnStoreWriter into) {
        run(select(relation, schema, nativeTypes, UnaryOperator.identity()), schema, into);
    }

    /** Reads columns into builders, by their number in the schema. */
    void scan(String relation, Schema schema, Map<String, String> nativeTypes, IntFunction<ColumnBuilder> into) {
        String sql = select(relation, schema, nativeTypes, UnaryOperator.identity());
        run(sql, schema, into, () -> {});
    }

    /** Gives the lines of a file, plain or packed, one after the other; an empty line is an empty text. */
    void lines(Path file, Consumer<String> each) {
        String sql = "SELECT line FROM read_csv(" + literal(file.toString()) + ", columns = {'line': 'VARCHAR'},"
                + " auto_detect = false, header = false, delim = e'\\x01', quote = '', escape = '', strict_mode = false,"
                + " max_line_size = " + LONGEST_LINE + ")";
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            while (result.next()) {
                String line = result.getString(1);
                each.accept(line == null ? "" : line);
            }
        } catch (SQLException e) {
            throw explained(e);
        }
    }

    private static String select(
            String relation, Schema schema, Map<String, String> types, UnaryOperator<String> text) {
        String columns = schema.columns().stream()
                .map(column -> selection(column, types.getOrDefault(column.name(), ""), text))
                .collect(Collectors.joining(", "));
        String hashes = schema.columns().stream()
                .filter(column -> column.type() == ColumnType.TEXT)
                .map(column -> ", CAST(hash(" + quoted(column.name()) + ") >> 1 AS BIGINT)")
                .collect(Collectors.joining());
        return hashes.isEmpty()
                ? "SELECT " + columns + " FROM " + relation
                : "SELECT *" + hashes + " FROM (SELECT " + columns + " FROM " + relation + ")";
    }

    private void run(String sql, Schema schema, ColumnStoreWriter into) {
        run(sql, schema, into::column, into::rowsDone);
    }

    private void run(String sql, Schema schema, IntFunction<ColumnBuilder> into, Runnable rowsDone) {
        try (var statement = connection.prepareStatement(sql);
                DuckDBChunkedResult result =
                        statement.unwrap(DuckDBPreparedStatement.class).query()) {
            HashedTexts[] texts = new HashedTexts[schema.size()];
            while (result.nextChunk()) {
                DuckDBDataChunkReader chunk = result.chunk();
                int count = Math.toIntExact(chunk.rowCount());
                int hashes = schema.size();
                for (int i = 0; i < schema.size(); i++) {
                    if (schema.column(i).type() == ColumnType.TEXT) {
                        texts[i] = texts[i] == null ? new HashedTexts(into.apply(i)) : texts[i];
                        texts[i].copy(chunk.vector(i), chunk.vector(hashes++), count);
                    } else {
                        copy(chunk.vector(i), count, schema.column(i).type(), into.apply(i));
                    }
                }
                rowsDone.run();
                if (Thread.interrupted()) {
                    Thread.currentThread().interrupt();
                    throw new DataException("interrupted while " + source + " was being read");
                }
            }
        } catch (SQLException e) {
            throw explained(e);
        }
    }

    private static void copy(DuckDBReadableVector vector, int count, ColumnType type, ColumnBuilder into) {
        if (type == ColumnType.NUMBER) {
            for (int i = 0; i < count; i++) {
                into.add(vector.getDouble(i, Double.NaN));
            }
        } else {
            for (int i = 0; i < count; i++) {
                into.add(vector.getLong(i, Long.MIN_VALUE));
            }
        }
    }

    /** What DuckDB says without its advice, its query and its kind of error. */
    DataException explained(SQLException e) {
        String message = e.getMessage() == null ? e.toString() : e.getMessage();
        String said = message.lines()
                .takeWhile(line -> !line.startsWith("LINE ") && !line.startsWith("Possible"))
                .filter(line -> !line.isBlank())
                .limit(3)
                .reduce((a, b) -> a + " " + b)
                .orElse(message)
                .replaceFirst("^(?:java\\.sql\\.SQLException: )?[A-Z][A-Za-z ]+ Error: ", "");
        return new DataException(source + ": " + said, e);
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            throw explained(e);
        }
        spill.ifPresent(DuckDb::delete);
    }

    private static void delete(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            files.forEach(file -> file.toFile().delete());
            Files.delete(folder);
        } catch (NoSuchFileException e) {
            LOG.trace("DuckDB has removed {}", folder);
        } catch (IOException e) {
            LOG.debug("DuckDB's temporary files in {} could not be removed", folder, e);
        }
    }
}
