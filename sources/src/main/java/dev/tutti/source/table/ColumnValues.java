package dev.tutti.source.table;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;

/**
 * Values of one column for some rows, in one array of their kind.
 *
 * <p>Text comes as codes of a {@link Dictionary} for as long as the column's dictionary had room, so that each different text is
 * treated once; texts behind it come as they are, and their code is {@link #PLAIN}.
 */
public final class ColumnValues {
    /** The code of a missing text. */
    public static final int NO_TEXT = -1;

    /** The code of a text that is not in the dictionary. */
    public static final int PLAIN = -2;

    private final ColumnType type;
    private final int size;
    private final double[] numbers;
    private final long[] wholes;
    private final int[] codes;
    private final Dictionary dictionary;
    private final String[] plain;

    private ColumnValues(
            ColumnType type,
            int size,
            double[] numbers,
            long[] wholes,
            int[] codes,
            Dictionary dictionary,
            String[] plain) {
        this.type = type;
        this.size = size;
        this.numbers = numbers;
        this.wholes = wholes;
        this.codes = codes;
        this.dictionary = dictionary;
        this.plain = plain;
    }

    static ColumnValues numbers(double[] values) {
        return new ColumnValues(ColumnType.NUMBER, values.length, values, null, null, null, null);
    }

    static ColumnValues wholes(ColumnType type, long[] values) {
        return new ColumnValues(type, values.length, null, values, null, null, null);
    }

    static ColumnValues texts(int[] codes, Dictionary dictionary, String[] plain) {
        return new ColumnValues(ColumnType.TEXT, codes.length, null, null, codes, dictionary, plain);
    }

    public ColumnType type() {
        return type;
    }

    /** All values of a {@link ColumnType#NUMBER}, NaN where they are missing; not to be written to. */
    public double[] numbers() {
        return numbers;
    }

    public int size() {
        return size;
    }

    public boolean isMissing(int row) {
        if (type == ColumnType.NUMBER) {
            return Double.isNaN(numbers[row]);
        }
        return type == ColumnType.TEXT ? codes[row] == NO_TEXT : wholes[row] == ColumnType.MISSING;
    }

    /** The value as a number: NaN where it is missing, or where it is text that is no number. Time is in seconds. */
    public double number(int row) {
        return switch (type) {
            case NUMBER -> numbers[row];
            case INTEGER, BOOLEAN -> wholes[row] == ColumnType.MISSING ? Double.NaN : wholes[row];
            case TIME -> wholes[row] == ColumnType.MISSING ? Double.NaN : wholes[row] / 1e6;
            case TEXT -> parsed(text(row).orElse(""));
        };
    }

    private static double parsed(String text) {
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException e) {
            return Double.NaN;
        }
    }

    /** Microseconds since 1970 of a {@link ColumnType#TIME}, or the whole number; {@link Long#MIN_VALUE} where it is missing. */
    public long whole(int row) {
        return wholes[row];
    }

    /** The code of a text, {@link #NO_TEXT} or {@link #PLAIN}. */
    public int code(int row) {
        return codes[row];
    }

    /** The dictionary of a column of text. */
    public Dictionary dictionary() {
        return dictionary;
    }

    /** The value as text, if there is one: whole numbers without a point, times as in ISO 8601. */
    public Optional<String> text(int row) {
        if (isMissing(row)) {
            return Optional.empty();
        }
        return Optional.of(
                switch (type) {
                    case NUMBER -> text(numbers[row]);
                    case INTEGER -> Long.toString(wholes[row]);
                    case BOOLEAN -> wholes[row] == 0 ? "false" : "true";
                    case TIME -> time(wholes[row]);
                    case TEXT -> codes[row] == PLAIN ? plain[row] : dictionary.text(codes[row]);
                });
    }

    /** A number as the text of a column: a whole one without a point. */
    public static String text(double number) {
        return number == Math.rint(number) && Math.abs(number) < 1e15
                ? Long.toString((long) number)
                : String.format(Locale.ROOT, "%s", number);
    }

    private static String time(long micros) {
        Instant at = Instant.ofEpochSecond(Math.floorDiv(micros, 1_000_000L), Math.floorMod(micros, 1_000_000L) * 1000);
        String text = DateTimeFormatter.ISO_LOCAL_DATE_TIME.format(at.atOffset(ZoneOffset.UTC));
        return text.endsWith("T00:00:00") ? text.substring(0, text.length() - 9) : text;
    }
}
