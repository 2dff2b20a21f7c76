package dev.tutti.array;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;

/**
 * The extents of an array, outermost first. A shape of rank 0 is a single number.
 *
 * <p>An extent may be {@link #ANY} where it is not known before the data is seen, such as the length of a sequence; the batch
 * is never part of the shapes that layers and samples speak of.
 */
public final class Shape {
    /** An extent that is only known when data arrives. */
    public static final long ANY = -1;

    private static final Shape SCALAR = new Shape(new long[0]);

    private final long[] dims;

    private Shape(long[] dims) {
        this.dims = dims;
    }

    @JsonCreator
    public static Shape of(long... dims) {
        for (long dim : dims) {
            if (dim < 0 && dim != ANY) {
                throw new IllegalArgumentException(
                        "a shape has no negative extents: received " + Arrays.toString(dims));
            }
        }
        return new Shape(dims.clone());
    }

    public static Shape scalar() {
        return SCALAR;
    }

    public int rank() {
        return dims.length;
    }

    /** The extent at an axis; negative axes count from the end, so {@code dim(-1)} is the innermost. */
    public long dim(int axis) {
        int at = axis < 0 ? axis + dims.length : axis;
        if (at < 0 || at >= dims.length) {
            throw new IndexOutOfBoundsException(
                    "axis " + axis + " of shape " + this + ": it has " + dims.length + " axes");
        }
        return dims[at];
    }

    /** True when no extent is {@link #ANY}. */
    public boolean isKnown() {
        for (long dim : dims) {
            if (dim == ANY) {
                return false;
            }
        }
        return true;
    }

    /** The number of elements. */
    public long size() {
        long size = 1;
        for (long dim : dims) {
            if (dim == ANY) {
                throw new IllegalStateException("shape " + this + " has an unknown extent, so its size is not known");
            }
            size = Math.multiplyExact(size, dim);
        }
        return size;
    }

    /** This shape with one more axis in front, for instance the batch. */
    public Shape prepend(long dim) {
        long[] out = new long[dims.length + 1];
        out[0] = dim;
        System.arraycopy(dims, 0, out, 1, dims.length);
        return of(out);
    }

    /** This shape with one more axis at the end. */
    public Shape append(long dim) {
        long[] out = Arrays.copyOf(dims, dims.length + 1);
        out[dims.length] = dim;
        return of(out);
    }

    /** The axes from {@code axis} on; {@code from(1)} drops the batch. */
    public Shape from(int axis) {
        return new Shape(Arrays.copyOfRange(dims, axis, dims.length));
    }

    /** The first {@code count} axes. */
    public Shape first(int count) {
        return new Shape(Arrays.copyOf(dims, count));
    }

    /** This shape with another extent at an axis. */
    public Shape with(int axis, long dim) {
        long[] out = dims.clone();
        out[axis < 0 ? axis + dims.length : axis] = dim;
        return of(out);
    }

    /** True when both agree wherever both are known. */
    public boolean matches(Shape other) {
        if (dims.length != other.dims.length) {
            return false;
        }
        for (int i = 0; i < dims.length; i++) {
            if (dims[i] != other.dims[i] && dims[i] != ANY && other.dims[i] != ANY) {
                return false;
            }
        }
        return true;
    }

    @JsonValue
    public long[] toArray() {
        return dims.clone();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Shape shape && Arrays.equals(dims, shape.dims);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(dims);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("[");
        for (int i = 0; i < dims.length; i++) {
            text.append(i == 0 ? "" : ", ").append(dims[i] == ANY ? "?" : Long.toString(dims[i]));
        }
        return text.append(']').toString();
    }
}
