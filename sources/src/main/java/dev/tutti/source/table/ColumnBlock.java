package dev.tutti.source.table;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Some thousand rows of a table, column after column, in one buffer: in memory or mapped from a file. Numbers take eight bytes a
 * value; text takes a code of four, and where codes have run out also its place and its bytes.
 */
final class ColumnBlock {
    /** Rows of every block but the last. */
    static final int ROWS = 1 << 15;

    private final int rows;
    private final ByteBuffer data;
    private final int[] starts;
    private final long place;

    /**
     * A block over bytes that are there.
     *
     * @param starts where each column begins in the bytes
     * @param place where the bytes begin in their file; -1 for a block in memory
     */
    ColumnBlock(int rows, ByteBuffer data, int[] starts, long place) {
        this.rows = rows;
        this.data = data.order(ByteOrder.nativeOrder());
        this.starts = starts;
        this.place = place;
    }

    /** The same block over another buffer with the same bytes, which lies in a file. */
    ColumnBlock over(ByteBuffer other, long from) {
        return new ColumnBlock(rows, other, starts, from);
    }

    int rows() {
        return rows;
    }

    int[] starts() {
        return starts;
    }

    long place() {
        return place;
    }

    ByteBuffer data() {
        return data.duplicate().clear();
    }

    double number(int column, int row) {
        return data.getDouble(starts[column] + row * Double.BYTES);
    }

    long whole(int column, int row) {
        return data.getLong(starts[column] + row * Long.BYTES);
    }

    int code(int column, int row) {
        return data.getInt(starts[column] + row * Integer.BYTES);
    }

    /** Copies the numbers of rows that follow one another. */
    void numbers(int column, int row, double[] into, int at, int count) {
        data.slice(starts[column] + row * Double.BYTES, count * Double.BYTES)
                .order(ByteOrder.nativeOrder())
                .asDoubleBuffer()
                .get(into, at, count);
    }

    /** Copies the whole numbers of rows that follow one another. */
    void wholes(int column, int row, long[] into, int at, int count) {
        data.slice(starts[column] + row * Long.BYTES, count * Long.BYTES)
                .order(ByteOrder.nativeOrder())
                .asLongBuffer()
                .get(into, at, count);
    }

    /** Copies the codes of texts that follow one another. */
    void codes(int column, int row, int[] into, int at, int count) {
        data.slice(starts[column] + row * Integer.BYTES, count * Integer.BYTES)
                .order(ByteOrder.nativeOrder())
                .asIntBuffer()
                .get(into, at, count);
    }

    /** A text whose code is {@link ColumnValues#PLAIN}. */
    String plain(int column, int row) {
        int ends = starts[column] + rows * Integer.BYTES;
        int texts = ends + (rows + 1) * Integer.BYTES;
        int from = data.getInt(ends + row * Integer.BYTES);
        byte[] bytes = new byte[data.getInt(ends + (row + 1) * Integer.BYTES) - from];
        data.get(texts + from, bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** Writes a block, column by column. */
    static final class Filler {
        private final ByteBuffer data;
        private final int rows;
        private final int[] starts;
        private int column;

        Filler(int rows, int columns, int bytes) {
            this.data = ByteBuffer.allocate(bytes).order(ByteOrder.nativeOrder());
            this.rows = rows;
            this.starts = new int[columns];
        }

        void numbers(double[] values, int from, int count) {
            starts[column++] = data.position();
            data.slice().order(ByteOrder.nativeOrder()).asDoubleBuffer().put(values, from, count);
            data.position(data.position() + count * Double.BYTES);
        }

        void wholes(long[] values, int from, int count) {
            starts[column++] = data.position();
            data.slice().order(ByteOrder.nativeOrder()).asLongBuffer().put(values, from, count);
            data.position(data.position() + count * Long.BYTES);
        }

        void texts(int[] codes, int from, int count, byte[][] encoded) {
            starts[column++] = data.position();
            data.slice().order(ByteOrder.nativeOrder()).asIntBuffer().put(codes, from, count);
            data.position(data.position() + count * Integer.BYTES);
            if (encoded.length > 0) {
                int at = 0;
                data.putInt(0);
                for (byte[] text : encoded) {
                    data.putInt(at += text.length);
                }
                for (byte[] text : encoded) {
                    data.put(text);
                }
            }
        }

        ColumnBlock block() {
            return new ColumnBlock(rows, data, starts, -1);
        }
    }
}
