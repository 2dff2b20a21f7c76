package dev.tutti.source.jdbc;

import dev.tutti.data.DataException;
import dev.tutti.source.table.BadRowLog;
import dev.tutti.source.table.ColumnBuilder;
import dev.tutti.source.table.ColumnStoreWriter;
import dev.tutti.source.table.ColumnType;
import dev.tutti.source.table.Schema;
import dev.tutti.source.table.TableCache;
import dev.tutti.source.table.TableSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;

/**
 * A table or query of any database with a JDBC driver, in the order of a key: a column whose values differ and can be compared.
 *
 * <p>It is read in ranges of the key, some thousand rows at a time. When the connection is lost, reading goes on behind the last
 * key with a new one. The password is taken from an environment variable, never from the definition.
 */
public final class JdbcSource extends TableSource {
    private String url;
    private String table;
    private String query;
    private String key;
    private String user;
    private String passwordVariable;
    private int range = 10_000;

    /** Milliseconds to try to reach a database that was lost. */
    private long patience = 60_000;

    private JdbcSource() {}

    private JdbcSource(String url, String table, String query, String key) {
        this.url = url;
        this.table = table;
        this.query = query;
        this.key = key;
    }

    /** A table, such as {@code people} or {@code hr.people}. */
    public static JdbcSource table(String url, String table, String key) {
        return new JdbcSource(url, table, null, key);
    }

    /** The result of a query in the database's own SQL. */
    public static JdbcSource query(String url, String query, String key) {
        return new JdbcSource(url, null, query, key);
    }

    /**
     * The column that is the primary key of a table.
     *
     * @param user may be null
     * @param passwordVariable may be null
     * @throws DataException if the table has none, or one of several columns
     */
    public static String primaryKey(String url, String table, String user, String passwordVariable) {
        String schema = table.contains(".") ? table.substring(0, table.indexOf('.')) : null;
        String name = table.substring(table.indexOf('.') + 1);
        List<String> found = new ArrayList<>();
        try (Session session = new Session(url, user, passwordVariable, 0)) {
            session.with(connection -> {
                found.clear();
                try (ResultSet keys = connection.getMetaData().getPrimaryKeys(null, schema, name)) {
                    while (keys.next()) {
                        found.add(keys.getString("COLUMN_NAME"));
                    }
                }
                return found;
            });
        }
        if (found.size() != 1) {
            throw new DataException("table '" + table + "' has "
                    + (found.isEmpty() ? "no primary key" : "a primary key of several columns " + found)
                    + ": name a column with a different value in every row with --key");
        }
        return found.get(0);
    }

    /** The user, and the environment variable that holds the password. */
    public JdbcSource user(String name, String variable) {
        return changed(this, source -> {
            source.user = name;
            source.passwordVariable = variable;
        });
    }

    /** Rows to a range, 10,000 by default. */
    public JdbcSource range(int rows) {
        return changed(this, source -> source.range = rows);
    }

    /** How long to try to reach a database that was lost, a minute by default. */
    public JdbcSource patience(long millis) {
        return changed(this, source -> source.patience = millis);
    }

    private String relation() {
        if (url == null || key == null || (table == null) == (query == null)) {
            throw new DataException("a jdbc source needs 'url', 'key' and one of 'table' and 'query'");
        }
        if (range < 1) {
            throw new DataException("'range' of a jdbc source: expected 1 or more, received " + range);
        }
        return table != null ? table : "(" + query.strip().replaceFirst(";\\s*$", "") + ") t";
    }

    @Override
    protected Schema inspect() {
        String sql = "SELECT * FROM " + relation() + " WHERE 1 = 0";
        try (Session session = new Session(url, user, passwordVariable, patience)) {
            return session.with(connection -> {
                try (PreparedStatement statement = connection.prepareStatement(sql);
                        ResultSet result = statement.executeQuery()) {
                    return schema(result.getMetaData());
                }
            });
        }
    }

    private static Schema schema(ResultSetMetaData columns) throws SQLException {
        List<Schema.Column> found = new ArrayList<>();
        for (int i = 1; i <= columns.getColumnCount(); i++) {
            found.add(new Schema.Column(columns.getColumnLabel(i), type(columns.getColumnType(i))));
        }
        return new Schema(found);
    }

    private static ColumnType type(int sqlType) {
        return switch (sqlType) {
            case Types.TINYINT, Types.SMALLINT, Types.INTEGER, Types.BIGINT -> ColumnType.INTEGER;
            case Types.REAL, Types.FLOAT, Types.DOUBLE, Types.NUMERIC, Types.DECIMAL -> ColumnType.NUMBER;
            case Types.BIT, Types.BOOLEAN -> ColumnType.BOOLEAN;
            case Types.DATE, Types.TIMESTAMP, Types.TIMESTAMP_WITH_TIMEZONE -> ColumnType.TIME;
            default -> ColumnType.TEXT;
        };
    }

    @Override
    protected void read(Schema schema, ColumnStoreWriter into, BadRowLog bad) {
        try (Session session = new Session(url, user, passwordVariable, patience)) {
            String quote = session.with(connection -> connection.getMetaData().getIdentifierQuoteString());
            List<String> names = new ArrayList<>();
            schema.columns().forEach(column -> names.add(quote + column.name() + quote));
            String keyName = quote + key + quote;
            String select = "SELECT " + keyName + " AS tutti_key, " + String.join(", ", names) + " FROM " + relation();
            String order = " ORDER BY " + keyName + " FETCH FIRST " + range + " ROWS ONLY";
            Object last = null;
            for (int count = range; count == range; ) {
                Object from = last;
                String sql = select + (from == null ? "" : " WHERE " + keyName + " > ?") + order;
                Range next = session.with(connection -> range(connection, sql, from, schema, bad));
                next.copy(into);
                count = next.count();
                last = next.lastKey();
            }
        }
    }

    /** A range is read whole before any of it counts, so that a lost connection leaves nothing half done. */
    private Range range(Connection connection, String sql, Object from, Schema schema, BadRowLog bad)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setQueryTimeout((int) Math.max(1, patience / 1000));
            if (from != null) {
                statement.setObject(1, from);
            }
            try (ResultSet result = statement.executeQuery()) {
                Range rows = new Range(schema, String.valueOf(this), bad);
                while (result.next()) {
                    rows.add(result, key, from);
                }
                return rows;
            }
        }
    }

    /** The rows of a range, as the types they are wanted in. */
    private static final class Range {
        private final Schema schema;
        private final String source;
        private final BadRowLog bad;
        private final List<Object[]> rows = new ArrayList<>();
        private Object lastKey;
        private int count;

        Range(Schema schema, String source, BadRowLog bad) {
            this.schema = schema;
            this.source = source;
            this.bad = bad;
        }

        void add(ResultSet result, String key, Object before) throws SQLException {
            Object at = result.getObject(1);
            if (at == null || at.equals(lastKey == null ? before : lastKey)) {
                throw new DataException(source + ": the key '" + key + "' is "
                        + (at == null ? "missing in a row" : at + " in two rows")
                        + ": expected a column with a different value in every row");
            }
            lastKey = at;
            count++;
            Object[] row = new Object[schema.size()];
            for (int i = 0; i < row.length; i++) {
                Schema.Column column = schema.column(i);
                try {
                    row[i] = value(result, i + 2, column.type());
                } catch (SQLException | RuntimeException e) {
                    bad.add(
                            source + ", row with key " + at,
                            "column '" + column.name() + "': expected " + column.type() + ", received '"
                                    + result.getString(i + 2) + "'",
                            String.valueOf(at));
                    return;
                }
            }
            rows.add(row);
        }

        private static Object value(ResultSet result, int at, ColumnType type) throws SQLException {
            Object found = result.getObject(at);
            if (found == null) {
                return null;
            }
            return switch (type) {
                case NUMBER ->
                    found instanceof Number number
                            ? number.doubleValue()
                            : found instanceof Boolean is ? (is ? 1.0 : 0.0) : Double.parseDouble(found.toString());
                case INTEGER -> found instanceof Number number ? number.longValue() : Long.parseLong(found.toString());
                case BOOLEAN -> result.getBoolean(at) ? 1L : 0L;
                case TIME -> micros(result.getTimestamp(at));
                case TEXT -> result.getString(at);
            };
        }

        private static long micros(Timestamp time) {
            LocalDateTime local = time.toLocalDateTime();
            return local.toEpochSecond(ZoneOffset.UTC) * 1_000_000 + local.getNano() / 1000;
        }

        void copy(ColumnStoreWriter into) {
            for (int i = 0; i < schema.size(); i++) {
                ColumnBuilder column = into.column(i);
                for (Object[] row : rows) {
                    if (row[i] == null) {
                        column.addMissing();
                    } else if (row[i] instanceof Double number) {
                        column.add(number.doubleValue());
                    } else if (row[i] instanceof Long whole) {
                        column.add(whole.longValue());
                    } else {
                        column.add((String) row[i]);
                    }
                }
            }
            into.rowsDone();
        }

        int count() {
            return count;
        }

        Object lastKey() {
            return lastKey;
        }
    }

    @Override
    protected String state() {
        return TableCache.run(); // members of one run see what the first of them has read
    }

    @Override
    protected void requireUnchanged(String before) {
        // A database does not say when it was changed; what was read is told by the fingerprint.
    }

    @Override
    public String toString() {
        return "jdbc(" + (table != null ? table : query) + ")";
    }
}
