package dev.tutti.source.csv;

import dev.tutti.source.table.ColumnBuilder;
import dev.tutti.source.table.ColumnStoreWriter;
import dev.tutti.source.table.ColumnType;
import dev.tutti.source.table.Schema;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;

/**
 * Whole lines of a file, and the columns they hold once {@link #parse} was called. Used again and again, by one thread at a time.
 *
 * <p>Only what can be read in one way counts as plain: as many values in every line as there are columns, whole numbers and decimal
 * numbers as they are usually written, quotes around whole values and on one line. Anything else makes the segment not plain.
 */
final class CsvSegment {
    /** Bytes behind the content that may be read and mean nothing. */
    static final int PADDING = 16;

    private static final byte NEWLINE = '\n';
    private static final byte RETURN = '\r';
    private static final byte QUOTE = '"';
    private static final int MOST_DIGITS = 18;
    private static final long EXACT = 1L << 53;
    private static final double[] POWERS = new double[23];
    private static final long MISSING = Long.MIN_VALUE;

    static {
        POWERS[0] = 1;
        for (int i = 1; i < POWERS.length; i++) {
            POWERS[i] = POWERS[i - 1] * 10; // exact up to 1e22
        }
    }

    private final CsvDialect dialect;
    private final Set<String> missing;
    private final Schema wanted;
    private final int fields;
    private final int[] columnOf;
    private final double[][] numbers;
    private final long[][] wholes;
    private final int[][] codes;
    private final TextCodes[] texts;
    private int capacity = 1 << 13;
    private int rows;

    private byte[] bytes = new byte[0];
    private int length;
    private int at;
    private boolean plain;

    /** @param missing texts that stand for a missing value */
    CsvSegment(CsvDialect dialect, Schema wanted, Set<String> missing) {
        this.dialect = dialect;
        this.missing = missing;
        this.wanted = wanted;
        this.fields = dialect.names().size();
        this.columnOf = dialect.names().stream()
                .mapToInt(name -> wanted.names().indexOf(name))
                .toArray();
        int columns = wanted.size();
        numbers = new double[columns][];
        wholes = new long[columns][];
        codes = new int[columns][];
        texts = new TextCodes[columns];
        for (int i = 0; i < columns; i++) {
            ColumnType type = wanted.column(i).type();
            if (type == ColumnType.NUMBER) {
                numbers[i] = new double[capacity];
            } else if (type == ColumnType.TEXT) {
                codes[i] = new int[capacity];
                texts[i] = new TextCodes(missing);
            } else {
                wholes[i] = new long[capacity];
            }
        }
    }

    /** Whether columns of these types can be parsed here. */
    static boolean reads(Schema wanted) {
        return wanted.columns().stream()
                .allMatch(column -> column.type() == ColumnType.NUMBER
                        || column.type() == ColumnType.INTEGER
                        || column.type() == ColumnType.TEXT);
    }

    /** An array for so many bytes of content; then {@link #filled}. */
    byte[] room(int size) {
        if (bytes.length < size + PADDING) {
            bytes = new byte[size + PADDING];
        }
        return bytes;
    }

    /** Says how many bytes are content; whole lines, of which the last may end without a line feed. */
    void filled(int size) {
        length = size;
        if (length > 0 && bytes[length - 1] != NEWLINE) {
            bytes[length++] = NEWLINE;
        }
    }

    /** Parses the content; gives whether it is plain. */
    boolean parse() {
        rows = 0;
        at = 0;
        plain = true;
        for (TextCodes column : texts) {
            if (column != null) {
                column.clear();
            }
        }
        while (plain && at < length) {
            if (rows == capacity) {
                grow();
            }
            line();
            rows++;
        }
        return plain;
    }

    private void grow() {
        capacity *= 2;
        for (int i = 0; i < wanted.size(); i++) {
            numbers[i] = numbers[i] == null ? null : Arrays.copyOf(numbers[i], capacity);
            wholes[i] = wholes[i] == null ? null : Arrays.copyOf(wholes[i], capacity);
            codes[i] = codes[i] == null ? null : Arrays.copyOf(codes[i], capacity);
        }
    }

    private void line() {
        for (int field = 0; plain && field < fields; field++) {
            byte end = field == fields - 1 ? NEWLINE : dialect.delimiter();
            int column = columnOf[field];
            if (column < 0) {
                skip(end);
            } else if (numbers[column] != null) {
                numbers[column][rows] = number(end);
            } else if (codes[column] != null) {
                codes[column][rows] = text(end, texts[column]);
            } else {
                wholes[column][rows] = whole(end);
            }
        }
    }

    private double number(byte end) {
        byte[] in = bytes;
        int start = at;
        int p = at;
        while (in[p] == ' ') {
            p++;
        }
        boolean negative = in[p] == '-';
        p += negative ? 1 : 0;
        int first = p;
        long digits = 0;
        int digit = in[p] - '0';
        while (digit >= 0 && digit <= 9) {
            digits = digits * 10 + digit;
            digit = in[++p] - '0';
        }
        int count = p - first;
        int scale = 0;
        if (in[p] == '.') {
            int point = ++p;
            digit = in[p] - '0';
            while (digit >= 0 && digit <= 9) {
                digits = digits * 10 + digit;
                digit = in[++p] - '0';
            }
            scale = p - point;
            count += scale;
        }
        int next = behind(p, end);
        if (next < 0 || count == 0 || count > MOST_DIGITS || digits >= EXACT) {
            return unusualNumber(start, end);
        }
        at = next;
        double value = digits / POWERS[scale];
        return negative ? -value : value;
    }

    /** Where the next value begins if one ends here; -1 if none does. */
    private int behind(int p, byte end) {
        if (bytes[p] == end) {
            return p + 1;
        }
        return end == NEWLINE && bytes[p] == RETURN && bytes[p + 1] == NEWLINE ? p + 2 : -1;
    }

    private double unusualNumber(int start, byte end) {
        String text = value(start, end);
        if (text == null || missing.contains(text)) {
            return Double.NaN;
        }
        if (text.matches("-?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d{1,3})?")) {
            double number = Double.parseDouble(text);
            plain &= !Double.isInfinite(number);
            return number;
        }
        plain = false;
        return Double.NaN;
    }

    private long whole(byte end) {
        byte[] in = bytes;
        int p = at;
        while (in[p] == ' ') {
            p++;
        }
        boolean negative = in[p] == '-';
        p += negative ? 1 : 0;
        int first = p;
        long digits = 0;
        int digit = in[p] - '0';
        while (digit >= 0 && digit <= 9) {
            digits = digits * 10 + digit;
            digit = in[++p] - '0';
        }
        int next = behind(p, end);
        if (next >= 0 && p > first && p - first <= MOST_DIGITS) {
            at = next;
            return negative ? -digits : digits;
        }
        String text = value(at, end);
        if (text == null || missing.contains(text)) {
            return MISSING;
        }
        plain &= text.matches("-?\\d{1,18}");
        return plain ? Long.parseLong(text) : MISSING;
    }

    private int text(byte end, TextCodes into) {
        byte[] in = bytes;
        int p = at;
        if (in[p] == QUOTE) {
            byte[] value = quoted(end);
            return value == null ? 0 : code(value, 0, value.length - PADDING, into);
        }
        int from = p;
        byte b = in[p];
        while (b != end && b != NEWLINE) {
            if (b == QUOTE || b == dialect.delimiter() || b == 0 || b == RETURN && in[p + 1] != NEWLINE) {
                plain = false;
                return 0;
            }
            b = in[++p];
        }
        if (b != end) {
            plain = false;
            return 0;
        }
        at = p + 1;
        return code(in, from, end == NEWLINE && p > from && in[p - 1] == RETURN ? p - 1 : p, into);
    }

    /** Blanks around a text are no part of it. */
    private int code(byte[] in, int from, int to, TextCodes into) {
        int first = from;
        int last = to;
        while (first < last && in[first] == ' ') {
            first++;
        }
        while (last > first && in[last - 1] == ' ') {
            last--;
        }
        int code = into.code(in, first, last);
        plain &= code >= 0;
        return Math.max(0, code);
    }

    /** The value that begins here in quotes, without them; the next one begins behind it. Null if it is not plain. */
    private byte[] quoted(byte end) {
        byte[] value = new byte[64];
        int size = 0;
        int p = at + 1;
        while (p < length && bytes[p] != NEWLINE && bytes[p] != RETURN) {
            if (bytes[p] == QUOTE) {
                if (bytes[p + 1] != QUOTE) {
                    int next = behind(p + 1, end);
                    if (next < 0) {
                        break;
                    }
                    at = next;
                    return Arrays.copyOf(value, size + PADDING);
                }
                p++;
            }
            if (size == value.length) {
                value = Arrays.copyOf(value, size * 2);
            }
            value[size++] = bytes[p++];
        }
        plain = false;
        return null;
    }

    /** A value as text, for the rare cases; null if it is not plain. */
    private String value(int start, byte end) {
        at = start;
        if (bytes[at] == QUOTE) {
            byte[] value = quoted(end);
            return value == null ? null : new String(value, 0, value.length - PADDING, StandardCharsets.UTF_8);
        }
        int p = at;
        while (bytes[p] != end && bytes[p] != NEWLINE) {
            p++;
        }
        int to = end == NEWLINE && p > at && bytes[p - 1] == RETURN ? p - 1 : p;
        String text = new String(bytes, at, to - at, StandardCharsets.UTF_8);
        if (bytes[p] != end || end == NEWLINE && text.indexOf(dialect.delimiter()) >= 0) {
            plain = false;
            return null;
        }
        at = p + 1;
        return text;
    }

    private void skip(byte end) {
        if (bytes[at] == QUOTE) {
            quoted(end);
            return;
        }
        int p = at;
        while (bytes[p] != end && bytes[p] != NEWLINE) {
            plain &= bytes[p] != dialect.delimiter() && bytes[p] != QUOTE;
            p++;
        }
        plain &= bytes[p] == end;
        at = p + 1;
    }

    int rows() {
        return rows;
    }

    /** Adds the columns to a table. */
    void copy(ColumnStoreWriter into) {
        for (int i = 0; i < wanted.size(); i++) {
            ColumnBuilder column = into.column(i);
            if (numbers[i] != null) {
                column.addAll(numbers[i], rows);
            } else if (codes[i] != null) {
                column.addAll(codes[i], rows, texts[i].texts());
            } else {
                column.addAll(wholes[i], rows);
            }
        }
        into.rowsDone();
    }
}
