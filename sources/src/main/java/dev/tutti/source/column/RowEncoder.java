package dev.tutti.source.column;

import dev.tutti.data.Batch;
import dev.tutti.data.DataException;
import dev.tutti.data.transform.NamedRowEncoder;
import dev.tutti.source.table.ColumnBuilder;
import dev.tutti.source.table.ColumnStore;
import dev.tutti.source.table.ColumnStoreWriter;
import dev.tutti.source.table.ColumnValues;
import dev.tutti.source.table.Schema;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * Makes arrays of raw rows that lie in no table, such as rows of a request or of another system: the same arrays that {@link
 * Columns#applyTo} makes of a table with these rows.
 *
 * <p>A value that is absent or null is missing. Numbers, truth values, texts, dates and times of {@code java.time} and {@code
 * java.sql} are understood, and collections, whose elements become a text with blanks between them. Any number of threads may use
 * it.
 */
public final class RowEncoder implements NamedRowEncoder {
    private final Columns columns;
    private final Schema inputs;
    private final Optional<Schema.Column> label;

    RowEncoder(Columns columns) {
        this.columns = columns;
        List<Schema.Column> wanted = new ArrayList<>();
        columns.reads().forEach((name, type) -> wanted.add(new Schema.Column(name, type)));
        this.inputs = new Schema(wanted);
        this.label = columns.label().map(column -> new Schema.Column(column.column(), column.type()));
    }

    @Override
    public List<String> inputs() {
        return inputs.names();
    }

    /** The column of the label, if there is one. */
    public Optional<String> label() {
        return label.map(Schema.Column::name);
    }

    @Override
    public Batch features(List<? extends Map<String, ?>> rows) {
        return encode(rows, inputs);
    }

    /**
     * Inputs and labels for these rows.
     *
     * @throws DataException if a value cannot be understood, or a label is missing or none of those that were learned
     */
    public Batch labelled(List<? extends Map<String, ?>> rows) {
        Schema.Column wanted =
                label.orElseThrow(() -> new DataException("the columns have no label: rows cannot be labelled"));
        Map<String, Schema.Column> all = new LinkedHashMap<>();
        inputs.columns().forEach(column -> all.put(column.name(), column));
        all.put(wanted.name(), wanted);
        return encode(rows, new Schema(List.copyOf(all.values())));
    }

    private Batch encode(List<? extends Map<String, ?>> rows, Schema schema) {
        if (rows.isEmpty()) {
            throw new DataException("there are no rows to encode: expected one or more");
        }
        ColumnStore store = store(rows, schema);
        if (schema.size() > inputs.size()) {
            LabelColumn learned = columns.label().orElseThrow();
            ColumnValues values = store.range(schema.indexOf(learned.column()), 0, store.rows());
            for (int row = 0; row < values.size(); row++) {
                String problem = learned.problem(values, row);
                if (problem != null) {
                    throw new DataException("row " + row + ": " + problem);
                }
            }
        }
        return new EncodedRows(store, columns, null)
                .rows(LongStream.range(0, store.rows()).toArray());
    }

    private static ColumnStore store(List<? extends Map<String, ?>> rows, Schema schema) {
        try (ColumnStoreWriter writer = new ColumnStoreWriter(schema, Long.MAX_VALUE, rows.size())) {
            for (int i = 0; i < schema.size(); i++) {
                Schema.Column column = schema.column(i);
                ColumnBuilder into = writer.column(i);
                for (int row = 0; row < rows.size(); row++) {
                    add(rows.get(row).get(column.name()), column, row, into);
                }
            }
            writer.rowsDone();
            return writer.finish();
        }
    }

    private static void add(Object value, Schema.Column column, int row, ColumnBuilder into) {
        if (value == null) {
            into.addMissing();
            return;
        }
        try {
            switch (column.type()) {
                case NUMBER -> into.add(number(value));
                case INTEGER ->
                    into.add(
                            value instanceof Number n
                                    ? n.longValue()
                                    : Long.parseLong(text(value).strip()));
                case BOOLEAN -> into.add(truth(value) ? 1L : 0L);
                case TIME -> into.add(micros(value));
                case TEXT -> into.add(text(value));
            }
        } catch (IllegalArgumentException | DateTimeParseException e) {
            throw new DataException(
                    "row " + row + ", column '" + column.name() + "': expected " + column.type() + ", received '"
                            + value + "'",
                    e);
        }
    }

    private static double number(Object value) {
        if (value instanceof Number number) {
            return number.doubleValue();
        }
        return value instanceof Boolean is ? (is ? 1 : 0) : Double.parseDouble(text(value));
    }

    private static boolean truth(Object value) {
        if (value instanceof Boolean is) {
            return is;
        }
        if (value instanceof Number number) {
            return number.doubleValue() != 0;
        }
        String text = text(value);
        if (!text.equalsIgnoreCase("true") && !text.equalsIgnoreCase("false")) {
            throw new IllegalArgumentException(text);
        }
        return text.equalsIgnoreCase("true");
    }

    private static long micros(Object value) {
        if (value instanceof java.util.Date date && !(value instanceof java.sql.Timestamp)) {
            return date.getTime() * 1000;
        }
        Object time = value instanceof java.sql.Timestamp stamp ? stamp.toLocalDateTime() : value;
        if (time instanceof LocalDate day) {
            time = day.atStartOfDay();
        }
        if (time instanceof LocalDateTime local) {
            time = local.toInstant(ZoneOffset.UTC);
        }
        if (time instanceof Instant at) {
            return at.getEpochSecond() * 1_000_000 + at.getNano() / 1000;
        }
        String text = text(value).strip().replace(' ', 'T');
        return micros(text.indexOf('T') < 0 ? LocalDate.parse(text) : LocalDateTime.parse(text));
    }

    /** As the same value of a column of a table is written as text: whole numbers without a point, blanks around it gone. */
    private static String text(Object value) {
        if (value instanceof Collection<?> several) {
            return several.stream().map(RowEncoder::text).collect(Collectors.joining(" "));
        }
        if (value instanceof Double || value instanceof Float) {
            return ColumnValues.text(((Number) value).doubleValue());
        }
        return String.valueOf(value).strip();
    }
}
