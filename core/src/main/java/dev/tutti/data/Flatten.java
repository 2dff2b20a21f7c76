package dev.tutti.data;

import dev.tutti.tensor.NdArray;
import dev.tutti.tensor.Shape;

/** The same elements as one row, without copying them. */
public final class Flatten extends ArrayTransform {
    Flatten() {
        super(Side.FEATURES);
    }

    @Override
    protected NdArray apply(NdArray array) {
        return NdArray.wrap(array.type(), Shape.of(array.size()), array.data());
    }
}
