package dev.tutti.serve.model;

import dev.tutti.array.DType;
import dev.tutti.array.Shape;

/**
 * A named input or output of a served model.
 *
 * @param shape of one row, without the batch
 * @param exact whether rows must have this very shape; false where the model's own features reshape raw rows
 */
public record TensorSpec(String name, Shape shape, DType type, boolean exact) {
    /** The shape with a first axis for the batch, which is variable. */
    public long[] batchShape() {
        long[] dims = new long[shape.rank() + 1];
        dims[0] = Shape.ANY;
        System.arraycopy(shape.toArray(), 0, dims, 1, shape.rank());
        return dims;
    }
}
