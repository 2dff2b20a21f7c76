package dev.tutti.source.table;

import java.util.Locale;

/** A table that was read: any row of any column by its number. Immutable, and shared by all readers of the JVM. */
public final class ColumnStore {
    private final Schema schema;
    private final long rows;
    private final ColumnBlock[] blocks;
    private final Dictionary[] dictionaries;
    private final long checksum;
    private final long memoryBytes;
    private final long fileBytes;

    ColumnStore(
            Schema schema,
            long rows,
            ColumnBlock[] blocks,
            Dictionary[] dictionaries,
            long checksum,
            long memoryBytes,
            long fileBytes) {
        this.schema = schema;
        this.rows = rows;
        this.blocks = blocks;
        this.dictionaries = dictionaries;
        this.checksum = checksum;
        this.memoryBytes = memoryBytes;
        this.fileBytes = fileBytes;
    }

    ColumnBlock[] blocks() {
        return blocks;
    }

    Dictionary[] dictionaries() {
        return dictionaries;
    }

    long checksum() {
        return checksum;
    }

    public Schema schema() {
        return schema;
    }

    public long rows() {
        return rows;
    }

    /** Bytes of the blocks that lie in memory. */
    public long memoryBytes() {
        return memoryBytes;
    }

    /** Bytes of the blocks that lie in a file. */
    public long fileBytes() {
        return fileBytes;
    }

    /** What tells this content from another: the number of rows and columns and a checksum of all values. */
    public String fingerprint() {
        return String.format(Locale.ROOT, "%,d rows of %d columns (checksum %08x)", rows, schema.size(), checksum);
    }

    /** The values of a column at these rows, in this order. */
    public ColumnValues gather(int column, long[] numbers) {
        return switch (schema.column(column).type()) {
            case NUMBER -> gatherNumbers(column, numbers);
            case TEXT -> gatherTexts(column, numbers);
            default -> gatherWholes(column, numbers);
        };
    }

    /** The values of a column in a range of rows. */
    public ColumnValues range(int column, long from, long to) {
        long[] numbers = new long[Math.toIntExact(to - from)];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = from + i;
        }
        return gather(column, numbers);
    }

    private ColumnValues gatherNumbers(int column, long[] numbers) {
        double[] values = new double[numbers.length];
        if (isRun(numbers)) {
            for (int i = 0; i < values.length; ) {
                ColumnBlock block = blockOf(numbers[i]);
                int row = rowInBlock(numbers[i]);
                int count = Math.min(block.rows() - row, values.length - i);
                block.numbers(column, row, values, i, count);
                i += count;
            }
            return ColumnValues.numbers(values);
        }
        for (int i = 0; i < values.length; i++) {
            values[i] = blockOf(numbers[i]).number(column, rowInBlock(numbers[i]));
        }
        return ColumnValues.numbers(values);
    }

    private ColumnValues gatherWholes(int column, long[] numbers) {
        long[] values = new long[numbers.length];
        if (isRun(numbers)) {
            for (int i = 0; i < values.length; ) {
                ColumnBlock block = blockOf(numbers[i]);
                int row = rowInBlock(numbers[i]);
                int count = Math.min(block.rows() - row, values.length - i);
                block.wholes(column, row, values, i, count);
                i += count;
            }
            return ColumnValues.wholes(schema.column(column).type(), values);
        }
        for (int i = 0; i < values.length; i++) {
            values[i] = blockOf(numbers[i]).whole(column, rowInBlock(numbers[i]));
        }
        return ColumnValues.wholes(schema.column(column).type(), values);
    }

    private ColumnValues gatherTexts(int column, long[] numbers) {
        int[] codes = new int[numbers.length];
        if (isRun(numbers)) {
            for (int i = 0; i < codes.length; ) {
                ColumnBlock block = blockOf(numbers[i]);
                int row = rowInBlock(numbers[i]);
                int count = Math.min(block.rows() - row, codes.length - i);
                block.codes(column, row, codes, i, count);
                i += count;
            }
        } else {
            for (int i = 0; i < codes.length; i++) {
                codes[i] = blockOf(numbers[i]).code(column, rowInBlock(numbers[i]));
            }
        }
        String[] plain = null;
        for (int i = 0; i < codes.length; i++) {
            if (codes[i] == ColumnValues.PLAIN) {
                plain = plain == null ? new String[codes.length] : plain;
                plain[i] = blockOf(numbers[i]).plain(column, rowInBlock(numbers[i]));
            }
        }
        return ColumnValues.texts(codes, dictionaries[column], plain);
    }

    /** Whether rows follow one another, so that they can be copied at once. */
    private static boolean isRun(long[] numbers) {
        for (int i = 1; i < numbers.length; i++) {
            if (numbers[i] != numbers[i - 1] + 1) {
                return false;
            }
        }
        return numbers.length > 0;
    }

    private ColumnBlock blockOf(long number) {
        return blocks[(int) (number / ColumnBlock.ROWS)];
    }

    private static int rowInBlock(long number) {
        return (int) (number % ColumnBlock.ROWS);
    }
}
