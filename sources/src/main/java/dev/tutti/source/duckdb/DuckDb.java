package dev.tutti.source.duckdb;

import dev.tutti.data.DataException;
import dev.tutti.source.table.ColumnBuilder;
import dev.tutti.source.table.ColumnStoreWriter;
import dev.tutti.source.table.ColumnType;
import dev.tutti.source.table.Schema;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.duckdb.DuckDBChunkedResult;
import org.duckdb.DuckDBDataChunkReader;
import org.duckdb.DuckDBPreparedStatement;
import org.duckdb.DuckDBReadableVector;

/** One DuckDB database in memory, for one table; closed when it was read. */
final class DuckDb implements AutoCloseable {
    /** Operators whose result may come in another order when several threads work on them. */
    private static final String UNORDERED =
            "(?s).*─ [A-Za-z ]*(Join|Group|Aggregate|Distinct|Window|Union|Sample|Product).*";

    private final Connection connection;
    private final String source;

    /** @param source the name of the table in messages */
    DuckDb(String source) {
        this.source = source;
        Properties properties = new Properties();
        properties.setProperty("jdbc_stream_results", "true");
        try {
            connection = DriverManager.getConnection("jdbc:duckdb:", properties);
            execute("SET autoinstall_known_extensions = false");
            execute("SET streaming_buffer_size = '64MB'"); // threads that read ahead wait when it is full
        } catch (SQLException e) {
            throw new DataException("DuckDB cannot be started: " + e.getMessage(), e);
        }
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
                Map<String, String> row = new java.util.LinkedHashMap<>();
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
        List<Schema.Column> columns = new ArrayList<>();
        for (Map<String, String> row : rows("DESCRIBE FROM " + relation)) {
            columns.add(new Schema.Column(row.get("column_name"), type(row.get("column_type"))));
        }
        return new Schema(columns);
    }

    private ColumnType type(String name) {
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
        Map<String, String> types = new java.util.HashMap<>();
        rows("DESCRIBE FROM " + relation).forEach(row -> types.put(row.get("column_name"), row.get("column_type")));
        return types;
    }

    /** Reads columns of a relation in its order, which does not depend on the number of threads. */
    void read(String relation, Schema schema, ColumnStoreWriter into) {
        Map<String, String> types = nativeTypes(relation);
        String sql = select(relation, schema, types, UnaryOperator.identity());
        if (rows("EXPLAIN " + sql).stream()
                .anyMatch(row -> row.values().stream().anyMatch(v -> v.matches(UNORDERED)))) {
            execute("SET threads = 1");
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

    private static String select(
            String relation, Schema schema, Map<String, String> types, UnaryOperator<String> text) {
        return schema.columns().stream()
                .map(column -> selection(column, types.getOrDefault(column.name(), ""), text))
                .collect(Collectors.joining(", ", "SELECT ", " FROM " + relation));
    }

    private void run(String sql, Schema schema, ColumnStoreWriter into) {
        try (var statement = connection.prepareStatement(sql);
                DuckDBChunkedResult result =
                        statement.unwrap(DuckDBPreparedStatement.class).query()) {
            while (result.nextChunk()) {
                DuckDBDataChunkReader chunk = result.chunk();
                int count = Math.toIntExact(chunk.rowCount());
                for (int i = 0; i < schema.size(); i++) {
                    copy(chunk.vector(i), count, schema.column(i).type(), into.column(i));
                }
                into.rowsDone();
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
        switch (type) {
            case NUMBER -> {
                for (int i = 0; i < count; i++) {
                    into.add(vector.getDouble(i, Double.NaN));
                }
            }
            case TEXT -> {
                for (int i = 0; i < count; i++) {
                    into.add(vector.getString(i));
                }
            }
            default -> {
                for (int i = 0; i < count; i++) {
                    into.add(vector.getLong(i, Long.MIN_VALUE));
                }
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
    }
}
