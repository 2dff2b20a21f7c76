package dev.tutti.serve.tensor;

import dev.tutti.array.Shape;
import dev.tutti.serve.ServeException;
import dev.tutti.serve.model.TensorSpec;
import java.util.Arrays;

/** Finds out how numbers of a request are rows of an input: axes of length 1 may be left out, and one row may come without the batch. */
public final class RowShape {
    private RowShape() {}

    /**
     * The shape with rows first that received numbers have.
     *
     * @param received the shape as it was sent, rows first or one row alone
     * @throws ServeException if it is neither
     */
    public static Shape of(TensorSpec input, Shape received) {
        Shape row = input.shape();
        if (!input.exact() || !row.isKnown()) {
            return received;
        }
        if (received.rank() > 0 && same(row, received.from(1))) {
            return row.prepend(received.dim(0));
        }
        if (same(row, received)) {
            return row.prepend(1);
        }
        throw ServeException.invalid("expected rows of shape " + row + " for " + input.name() + ", that is "
                + row.prepend(Shape.ANY) + ", received " + received);
    }

    /** The same for texts that know no axes: each row is a list of as many numbers as the input has. */
    public static Shape ofFlat(TensorSpec input, int rows, int columns) {
        Shape row = input.shape();
        if (!input.exact() || !row.isKnown()) {
            return Shape.of(rows, columns);
        }
        if (row.size() != columns) {
            throw ServeException.invalid("expected " + row.size() + " numbers to a row for " + input.name() + " " + row
                    + ", received " + columns);
        }
        return row.prepend(rows);
    }

    private static boolean same(Shape wanted, Shape received) {
        return Arrays.equals(squeezed(wanted), squeezed(received));
    }

    private static long[] squeezed(Shape shape) {
        return Arrays.stream(shape.toArray()).filter(extent -> extent != 1).toArray();
    }
}
