package dev.tutti.nn;

import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.vector.ParameterLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A slice of a parameter or buffer of a model, named so that members who hold different slices speak of the same elements.
 *
 * @param parameter the full name, such as {@code dense1.weight}
 * @param whole the shape of the whole parameter
 * @param axis the axis along which it is sliced; 0 for a single number
 * @param rows the indices of the slice along the axis
 */
public record Slice(String parameter, Shape whole, int axis, Range rows) {
    public Slice {
        Objects.requireNonNull(parameter, "parameter");
        Objects.requireNonNull(whole, "whole");
        Objects.requireNonNull(rows, "rows");
        if (axis < 0 || axis >= Math.max(1, whole.rank())) {
            throw new IllegalArgumentException("a slice of " + parameter + " " + whole + " along axis " + axis
                    + ": it has " + whole.rank() + " axes");
        }
        long length = whole.rank() == 0 ? 1 : whole.dim(axis);
        if (rows.to() > length || (whole.rank() == 0 && rows.length() != 1)) {
            throw new IllegalArgumentException("a slice of " + parameter + " " + whole + " along axis " + axis
                    + " lies within [0, " + length + "): received " + rows);
        }
    }

    /** All of a parameter. */
    public static Slice all(String parameter, Shape whole) {
        return new Slice(parameter, whole, 0, new Range(0, whole.rank() == 0 ? 1 : whole.dim(0)));
    }

    /** The part with this index of so many nearly equal parts. */
    public static Slice part(String parameter, Shape whole, int axis, int index, int parts) {
        return new Slice(parameter, whole, axis, new Range(0, whole.dim(axis)).part(index, parts));
    }

    /** The same elements under another name. */
    public Slice named(String name) {
        return new Slice(name, whole, axis, rows);
    }

    /** Other indices along the same axis. */
    public Slice at(Range other) {
        return new Slice(parameter, whole, axis, other);
    }

    /** All of a parameter, counted along another axis; a slice that is not all of it has but one axis. */
    public Slice along(int other) {
        if (other == axis || !isAll() || other >= whole.rank()) {
            return this;
        }
        return new Slice(parameter, whole, other, new Range(0, whole.dim(other)));
    }

    public boolean isAll() {
        return rows.length() == (whole.rank() == 0 ? 1 : whole.dim(axis));
    }

    /** The shape of the slice. */
    public Shape shape() {
        return whole.rank() == 0 ? whole : whole.with(axis, rows.length());
    }

    /** A view of the slice in the whole parameter. */
    public Tensor of(Tensor values) {
        return whole.rank() == 0 ? values : values.narrow(axis, rows.from(), rows.length());
    }

    /**
     * Where the elements of the slice lie, neighbours joined, in a vector in which the whole parameter lies in a range and a layout.
     * The order is that of the vector.
     */
    public List<Range> within(Range range, ParameterLayout layout) {
        if (isAll()) {
            return List.of(range);
        }
        long[] dims = whole.toArray();
        int at = axis;
        if (layout == ParameterLayout.CHANNELS_LAST) {
            dims = new long[] {dims[0], dims[2], dims[3], dims[1]};
            at = axis == 0 ? 0 : axis == 1 ? 3 : axis - 1;
        }
        long outer = 1;
        long inner = 1;
        for (int i = 0; i < dims.length; i++) {
            outer *= i < at ? dims[i] : 1;
            inner *= i > at ? dims[i] : 1;
        }
        List<Range> ranges = new ArrayList<>();
        for (long block = 0; block < outer && !rows.isEmpty(); block++) {
            ranges.add(new Range(range.from() + (block * dims[at] + rows.from()) * inner, rows.length() * inner));
        }
        return ranges;
    }
}
