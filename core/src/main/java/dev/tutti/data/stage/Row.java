package dev.tutti.data.stage;

import dev.tutti.data.Sample;

/**
 * A sample on its way through the stages, with the number it has in its source.
 *
 * @param number its number in the source; for rows of a source in parts see {@link #numberOf}
 * @param copy which of its repetitions it is, 0 without {@code repeat}
 */
public record Row(long number, long copy, Sample sample) {
    private static final int PART_SHIFT = 40;

    /** One number for the row of a part. */
    public static long numberOf(int part, long rowInPart) {
        return (long) part << PART_SHIFT | rowInPart;
    }

    Row with(Sample other) {
        return new Row(number, copy, other);
    }

    /** How a person finds it: {@code row 17}, or {@code row 17 of part 2}. */
    String place() {
        long part = number >>> PART_SHIFT;
        long row = number & (1L << PART_SHIFT) - 1;
        return part == 0 ? "row " + row : "row " + row + " of part " + part;
    }
}
