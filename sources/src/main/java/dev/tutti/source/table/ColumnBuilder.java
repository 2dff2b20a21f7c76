package dev.tutti.source.table;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** Takes the values of one column until a block is full. */
public final class ColumnBuilder {
    private final ColumnType type;
    private Dictionary dictionary = new Dictionary();
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

    /** Makes room for so many more values, so that adding them copies nothing. */
    public void reserve(int more) {
        int needed = Math.addExact(size, more);
        if (type == ColumnType.NUMBER) {
            numbers = needed > numbers.length ? Arrays.copyOf(numbers, needed) : numbers;
        } else if (type == ColumnType.TEXT) {
            codes = needed > codes.length ? Arrays.copyOf(codes, needed) : codes;
        } else {
            wholes = needed > wholes.length ? Arrays.copyOf(wholes, needed) : wholes;
        }
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

    /**
     * Adds to a column of text; null is missing.
     *
     * @return the code of the text, with which {@link #addCode} adds it again; -1 if it has none
     */
    public int add(String text) {
        if (size == codes.length) {
            codes = Arrays.copyOf(codes, size * 2);
        }
        int code = text == null ? ColumnValues.NO_TEXT : dictionary.code(text);
        if (code == -1 && text != null) {
            if (plain.length < codes.length) {
                plain = Arrays.copyOf(plain, codes.length);
            }
            plain[size] = text;
            codes[size++] = ColumnValues.PLAIN;
            return -1;
        }
        codes[size++] = code;
        return code;
    }

    /** Adds a text by its code. */
    public void addCode(int code) {
        if (size == codes.length) {
            codes = Arrays.copyOf(codes, size * 2);
        }
        codes[size++] = code;
    }

    /** Adds the first so many of these numbers. */
    public void addAll(double[] values, int count) {
        while (size + count > numbers.length) {
            numbers = Arrays.copyOf(numbers, numbers.length * 2);
        }
        System.arraycopy(values, 0, numbers, size, count);
        size += count;
    }

    /** Adds the first so many of these whole numbers, truth values or microseconds. */
    public void addAll(long[] values, int count) {
        while (size + count > wholes.length) {
            wholes = Arrays.copyOf(wholes, wholes.length * 2);
        }
        System.arraycopy(values, 0, wholes, size, count);
        size += count;
    }

    /**
     * Adds texts by codes of the caller's own.
     *
     * @param texts the texts by those codes, in the order they first occur; null is missing
     */
    public void addAll(int[] ownCodes, int count, List<String> texts) {
        int[] known = new int[texts.size()];
        for (int i = 0; i < known.length; i++) {
            int code = texts.get(i) == null ? ColumnValues.NO_TEXT : dictionary.code(texts.get(i));
            known[i] = code == -1 && texts.get(i) != null ? ColumnValues.PLAIN : code;
        }
        for (int i = 0; i < count; i++) {
            int code = known[ownCodes[i]];
            if (code == ColumnValues.PLAIN) {
                add(texts.get(ownCodes[i]));
            } else {
                addCode(code);
            }
        }
    }

    /** Forgets all values and texts. */
    void clear() {
        size = 0;
        dictionary = new Dictionary();
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

    /** Bytes that some rows take in a block. */
    long bytes(int from, int rows) {
        if (type != ColumnType.TEXT) {
            return (long) rows * Long.BYTES;
        }
        long bytes = (long) rows * Integer.BYTES;
        if (hasPlain(from, rows)) {
            bytes += (long) (rows + 1) * Integer.BYTES;
            for (int i = from; i < from + rows; i++) {
                bytes += codes[i] == ColumnValues.PLAIN ? utf8(plain[i]).length : 0;
            }
        }
        return bytes;
    }

    private boolean hasPlain(int from, int rows) {
        for (int i = from; i < from + rows && plain.length > 0; i++) {
            if (codes[i] == ColumnValues.PLAIN) {
                return true;
            }
        }
        return false;
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Writes some rows as a column of a block. */
    void write(int from, int rows, ColumnBlock.Filler into) {
        if (type == ColumnType.NUMBER) {
            into.numbers(numbers, from, rows);
        } else if (type == ColumnType.TEXT) {
            byte[][] encoded = new byte[hasPlain(from, rows) ? rows : 0][];
            for (int i = 0; i < encoded.length; i++) {
                encoded[i] = codes[from + i] == ColumnValues.PLAIN ? utf8(plain[from + i]) : new byte[0];
            }
            into.texts(codes, from, rows, encoded);
        } else {
            into.wholes(wholes, from, rows);
        }
    }

    /** Forgets the first rows and keeps the others; texts keep their codes. */
    void drop(int rows) {
        int left = size - rows;
        if (type == ColumnType.NUMBER) {
            System.arraycopy(numbers, rows, numbers, 0, left);
        } else if (type == ColumnType.TEXT) {
            System.arraycopy(codes, rows, codes, 0, left);
            if (plain.length >= size) {
                System.arraycopy(plain, rows, plain, 0, left);
            }
        } else {
            System.arraycopy(wholes, rows, wholes, 0, left);
        }
        size = left;
    }
}
