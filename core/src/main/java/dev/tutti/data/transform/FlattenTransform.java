package dev.tutti.data.transform;

import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;

/** The same elements as one row, without copying them. */
public final class FlattenTransform extends ArrayTransform {
    FlattenTransform() {
        super(Side.FEATURES);
    }

    @Override
    protected NdArray apply(NdArray array) {
        return NdArray.wrap(array.type(), Shape.of(array.size()), array.data());
    }
}
