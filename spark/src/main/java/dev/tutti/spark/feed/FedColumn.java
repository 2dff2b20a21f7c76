package dev.tutti.spark.feed;

import dev.tutti.data.DataException;
import java.io.Serializable;
import java.util.Arrays;
import org.apache.spark.ml.linalg.SQLDataTypes;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeArrayData;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.Platform;

/**
 * A column that becomes numbers.
 *
 * @param name in the table
 * @param kind how its values lie in a row
 * @param length how many numbers it has in every row
 */
public record FedColumn(String name, Kind kind, int length) implements Serializable {
    private static final int VECTOR_FIELDS = 4;

    /** How the values of a column lie in a row. */
    public enum Kind {
        FLOAT,
        FLOATS,
        DOUBLES,
        VECTOR
    }

    /**
     * How values of a type are read.
     *
     * @throws DataException if they are no numbers
     */
    public static Kind kind(String name, DataType type) {
        if (type.equals(SQLDataTypes.VectorType())) {
            return Kind.VECTOR;
        }
        if (type instanceof ArrayType array) {
            if (array.elementType().equals(DataTypes.FloatType)) {
                return Kind.FLOATS;
            }
            if (array.elementType().equals(DataTypes.DoubleType)) {
                return Kind.DOUBLES;
            }
        }
        if (type.equals(DataTypes.FloatType)) {
            return Kind.FLOAT;
        }
        throw new DataException("column '" + name + "' has the type " + type.simpleString()
                + ": expected numbers, array<float>, array<double> or a vector");
    }

    /**
     * How many numbers a column has in a row.
     *
     * @throws DataException if it is null
     */
    public static int length(InternalRow row, int ordinal, Kind kind, String name) {
        requireNotNull(row, ordinal, name);
        return switch (kind) {
            case FLOAT -> 1;
            case FLOATS, DOUBLES -> row.getArray(ordinal).numElements();
            case VECTOR -> {
                InternalRow vector = row.getStruct(ordinal, VECTOR_FIELDS);
                yield isDense(vector) ? vector.getArray(3).numElements() : vector.getInt(1);
            }
        };
    }

    private static void requireNotNull(InternalRow row, int ordinal, String name) {
        if (row.isNullAt(ordinal)) {
            throw new DataException("column '" + name + "' is null in a row: fill or drop such rows before,"
                    + " for instance with na().drop()");
        }
    }

    private static boolean isDense(InternalRow vector) {
        return vector.getByte(0) == 1;
    }

    /** Copies the values of a row. */
    public void copy(InternalRow row, int ordinal, float[] into, int at) {
        requireNotNull(row, ordinal, name);
        switch (kind) {
            case FLOAT -> into[at] = row.getFloat(ordinal);
            case FLOATS -> floats(row.getArray(ordinal), into, at);
            case DOUBLES -> doubles(row.getArray(ordinal), into, at);
            case VECTOR -> vector(row.getStruct(ordinal, VECTOR_FIELDS), into, at);
        }
    }

    private void floats(ArrayData array, float[] into, int at) {
        requireSound(array);
        if (array instanceof UnsafeArrayData unsafe) {
            long offset = unsafe.getBaseOffset() + UnsafeArrayData.calculateHeaderPortionInBytes(length);
            Platform.copyMemory(
                    unsafe.getBaseObject(),
                    offset,
                    into,
                    Platform.FLOAT_ARRAY_OFFSET + at * (long) Float.BYTES,
                    length * (long) Float.BYTES);
        } else {
            System.arraycopy(array.toFloatArray(), 0, into, at, length);
        }
    }

    private void doubles(ArrayData array, float[] into, int at) {
        requireSound(array);
        narrow(array, into, at);
    }

    private static void narrow(ArrayData array, float[] into, int at) {
        int count = array.numElements();
        for (int i = 0; i < count; i++) {
            into[at + i] = (float) array.getDouble(i);
        }
    }

    private void requireSound(ArrayData array) {
        requireLength(array.numElements());
        boolean nulls = false;
        if (array instanceof UnsafeArrayData unsafe) {
            for (int word = 0; word < (length + 63) / 64; word++) {
                nulls |= Platform.getLong(unsafe.getBaseObject(), unsafe.getBaseOffset() + 8 + word * 8L) != 0;
            }
        } else {
            for (int i = 0; i < length; i++) {
                nulls |= array.isNullAt(i);
            }
        }
        if (nulls) {
            throw new DataException("column '" + name + "' has an array with a null in it: expected numbers");
        }
    }

    private void requireLength(int received) {
        if (received != length) {
            throw new DataException("column '" + name + "' has arrays of different lengths: expected " + length
                    + " numbers as in the first row, received " + received);
        }
    }

    /** As {@code VectorUDT} writes it: kind, size, indices, values. */
    private void vector(InternalRow vector, float[] into, int at) {
        ArrayData values = vector.getArray(3);
        if (isDense(vector)) {
            requireLength(values.numElements());
            narrow(values, into, at);
            return;
        }
        requireLength(vector.getInt(1));
        Arrays.fill(into, at, at + length, 0);
        ArrayData indices = vector.getArray(2);
        for (int i = 0; i < indices.numElements(); i++) {
            into[at + indices.getInt(i)] = (float) values.getDouble(i);
        }
    }
}
