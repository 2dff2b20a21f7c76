package dev.tutti.array;

import java.lang.reflect.Array;
import java.util.Arrays;
import java.util.Objects;

/**
 * A dense array in the JVM's own memory: what data pipelines make, what predictions come back as.
 *
 * <p>It wraps a plain Java array without copying it: {@code float[]}, {@code double[]}, {@code long[]}, {@code int[]},
 * {@code byte[]} (unsigned) or {@code boolean[]}. The caller does not write to an array after handing it over.
 */
public final class NdArray {
    private final DType type;
    private final Shape shape;
    private final Object data;

    private NdArray(DType type, Shape shape, Object data) {
        this.type = type;
        this.shape = shape;
        this.data = data;
        int length = Array.getLength(data);
        if (shape.size() != length) {
            throw new IllegalArgumentException(
                    "shape " + shape + " holds " + shape.size() + " elements, but the array has " + length);
        }
    }

    public static NdArray of(float[] data, long... shape) {
        return new NdArray(DType.FLOAT32, Shape.of(shape), data);
    }

    public static NdArray of(double[] data, long... shape) {
        return new NdArray(DType.FLOAT64, Shape.of(shape), data);
    }

    public static NdArray of(long[] data, long... shape) {
        return new NdArray(DType.INT64, Shape.of(shape), data);
    }

    public static NdArray of(int[] data, long... shape) {
        return new NdArray(DType.INT32, Shape.of(shape), data);
    }

    /** Bytes are unsigned: 0 to 255. */
    public static NdArray of(byte[] data, long... shape) {
        return new NdArray(DType.UINT8, Shape.of(shape), data);
    }

    public static NdArray of(boolean[] data, long... shape) {
        return new NdArray(DType.BOOL, Shape.of(shape), data);
    }

    /** Wraps a Java array of the kind that belongs to the type, such as {@code float[]} for {@link DType#FLOAT32}. */
    public static NdArray wrap(DType type, Shape shape, Object data) {
        Object expected = allocate(type, 0);
        if (expected.getClass() != data.getClass()) {
            throw new IllegalArgumentException("elements of type " + type + " lie in "
                    + expected.getClass().getSimpleName() + ": received "
                    + data.getClass().getSimpleName());
        }
        return new NdArray(type, shape, data);
    }

    public static NdArray zeros(DType type, Shape shape) {
        return new NdArray(type, shape, allocate(type, Math.toIntExact(shape.size())));
    }

    /** A new Java array of the kind that belongs to the type. */
    public static Object allocate(DType type, int length) {
        return switch (type) {
            case FLOAT32 -> new float[length];
            case FLOAT64 -> new double[length];
            case INT64 -> new long[length];
            case INT32 -> new int[length];
            case UINT8 -> new byte[length];
            case BOOL -> new boolean[length];
            case FLOAT16, BFLOAT16 -> throw type.notOfArrays();
        };
    }

    public DType type() {
        return type;
    }

    public Shape shape() {
        return shape;
    }

    /** The number of elements. */
    public int size() {
        return Array.getLength(data);
    }

    /** The Java array behind this one, not a copy. */
    public Object data() {
        return data;
    }

    public float[] floats() {
        return (float[]) backing(DType.FLOAT32);
    }

    public double[] doubles() {
        return (double[]) backing(DType.FLOAT64);
    }

    public long[] longs() {
        return (long[]) backing(DType.INT64);
    }

    public int[] ints() {
        return (int[]) backing(DType.INT32);
    }

    public byte[] bytes() {
        return (byte[]) backing(DType.UINT8);
    }

    public boolean[] booleans() {
        return (boolean[]) backing(DType.BOOL);
    }

    private Object backing(DType wanted) {
        if (type != wanted) {
            throw new IllegalStateException(
                    "the array " + this + " is not " + wanted + ": convert it with to(" + wanted.name() + ")");
        }
        return data;
    }

    /** The element at a flat index, as a double for any type. */
    public double at(int index) {
        return switch (type) {
            case FLOAT32 -> ((float[]) data)[index];
            case FLOAT64 -> ((double[]) data)[index];
            case INT64 -> ((long[]) data)[index];
            case INT32 -> ((int[]) data)[index];
            case UINT8 -> ((byte[]) data)[index] & 0xff;
            case BOOL -> ((boolean[]) data)[index] ? 1 : 0;
            case FLOAT16, BFLOAT16 -> throw type.notOfArrays();
        };
    }

    /** The element at a flat index as a whole number; fractions are cut off. */
    public long longAt(int index) {
        return type == DType.INT64 ? ((long[]) data)[index] : (long) at(index);
    }

    /** The same elements as another type; this array itself when it has that type already. */
    public NdArray to(DType wanted) {
        if (type == wanted) {
            return this;
        }
        int n = size();
        Object out = allocate(wanted, n);
        for (int i = 0; i < n; i++) {
            switch (wanted) {
                case FLOAT32 -> ((float[]) out)[i] = (float) at(i);
                case FLOAT64 -> ((double[]) out)[i] = at(i);
                case INT64 -> ((long[]) out)[i] = longAt(i);
                case INT32 -> ((int[]) out)[i] = (int) longAt(i);
                case UINT8 -> ((byte[]) out)[i] = (byte) longAt(i);
                case BOOL -> ((boolean[]) out)[i] = at(i) != 0;
                case FLOAT16, BFLOAT16 -> throw wanted.notOfArrays();
            }
        }
        return new NdArray(wanted, shape, out);
    }

    /** The same memory under another shape. */
    public NdArray reshape(long... dims) {
        return new NdArray(type, Shape.of(dims), data);
    }

    /** A copy of rows {@code from} to {@code to} (exclusive) along the first axis. */
    public NdArray rows(int from, int to) {
        Objects.checkFromToIndex(from, to, Math.toIntExact(shape.dim(0)));
        int row = Math.toIntExact(shape.from(1).size());
        Object out = allocate(type, (to - from) * row);
        System.arraycopy(data, from * row, out, 0, (to - from) * row);
        return new NdArray(type, shape.with(0, to - from), out);
    }

    /** A copy of one row along the first axis, without that axis. */
    public NdArray row(int index) {
        NdArray one = rows(index, index + 1);
        return new NdArray(type, shape.from(1), one.data);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof NdArray array
                && type == array.type
                && shape.equals(array.shape)
                && Arrays.deepEquals(new Object[] {data}, new Object[] {array.data});
    }

    @Override
    public int hashCode() {
        return 31 * shape.hashCode() + Arrays.deepHashCode(new Object[] {data});
    }

    /** Type and shape; the elements are not printed. */
    @Override
    public String toString() {
        return type + shape.toString();
    }
}
