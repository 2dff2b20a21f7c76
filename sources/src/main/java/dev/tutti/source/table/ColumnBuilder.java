package dev.tutti.source.table;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Takes the values of one column until a block is full. */
public final class ColumnBuilder {
    private final ColumnType type;
    private final Dictionary dictionary = new Dictionary();
    private double[] numbers;
    private long[] wholes;
    private int[] codes;
    private String[] plain;
    private int size;

    ColumnBuilder(ColumnType type, int capacity) {
        this.type = type;
        if (type == ColumnType.NUMBER) {
            numbers = new double[capacity];
        } else if (type == ColumnType.TEXT) {
            codes = new int[capacity];
            plain = new String[0];
        } else {
            wholes = new long[capacity];
        }
    }

    ColumnType type() {
        return type;
    }

    Dictionary dictionary() {
        return dictionary;
    }

    int size() {
        return size;
    }

    /** Adds to a column of numbers; NaN is missing. */
    public void add(double number) {
        if (size == numbers.length) {
            numbers = Arrays.copyOf(numbers, size * 2);
        }
        numbers[size++] = number;
    }

    /** Adds to a column of whole numbers, truth values or microseconds. */
    public void add(long whole) {
        if (size == wholes.length) {
            wholes = Arrays.copyOf(wholes, size * 2);
        }
        wholes[size++] = whole;
    }

    /** Adds to a column of text; null is missing. */
    public void add(String text) {
        if (size == codes.length) {
            codes = Arrays.copyOf(codes, size * 2);
        }
        int code = text == null ? ColumnValues.NO_TEXT : dictionary.code(text);
        if (code == -1 && text != null) {
            if (plain.length < codes.length) {
                plain = Arrays.copyOf(plain, codes.length);
            }
            plain[size] = text;
            code = ColumnValues.PLAIN;
        }
        codes[size++] = code;
    }

    /** Adds a missing value to a column of any type. */
    public void addMissing() {
        if (type == ColumnType.NUMBER) {
            add(Double.NaN);
        } else if (type == ColumnType.TEXT) {
            add((String) null);
        } else {
            add(ColumnType.MISSING);
        }
    }

    /** Bytes that the first rows take in a block. */
    long bytes(int rows) {
        if (type != ColumnType.TEXT) {
            return (long) rows * Long.BYTES;
        }
        long bytes = (long) rows * Integer.BYTES;
        if (hasPlain(rows)) {
            bytes += (long) (rows + 1) * Integer.BYTES;
            for (int i = 0; i < rows; i++) {
                bytes += codes[i] == ColumnValues.PLAIN ? utf8(plain[i]).length : 0;
            }
        }
        return bytes;
    }

    private boolean hasPlain(int rows) {
        for (int i = 0; i < rows && plain.length > 0; i++) {
            if (codes[i] == ColumnValues.PLAIN) {
                return true;
            }
        }
        return false;
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Writes the first rows as a column of a block and keeps what is left. */
    void flush(int rows, ColumnBlock.Filler into) {
        if (type == ColumnType.NUMBER) {
            into.numbers(numbers, rows);
            System.arraycopy(numbers, rows, numbers, 0, size - rows);
        } else if (type == ColumnType.TEXT) {
            byte[][] encoded = new byte[hasPlain(rows) ? rows : 0][];
            for (int i = 0; i < encoded.length; i++) {
                encoded[i] = codes[i] == ColumnValues.PLAIN ? utf8(plain[i]) : new byte[0];
            }
            into.texts(codes, rows, encoded);
            System.arraycopy(codes, rows, codes, 0, size - rows);
            if (plain.length >= size) {
                System.arraycopy(plain, rows, plain, 0, size - rows);
            }
        } else {
            into.wholes(wholes, rows);
            System.arraycopy(wholes, rows, wholes, 0, size - rows);
        }
        size -= rows;
    }
}
