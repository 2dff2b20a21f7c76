package dev.tutti.data.transform;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;

/** The same elements as another type. */
public final class Cast extends ArrayTransform {
    /** The type's name in files, such as {@code float32}. */
    private String to = DType.FLOAT32.toString();

    private Cast() {
        super(Side.FEATURES);
    }

    Cast(DType type) {
        this();
        this.to = type.toString();
    }

    @Override
    protected NdArray apply(NdArray array) {
        return ElementConversion.to(DType.named(to), array);
    }

    @Override
    public String toString() {
        return "cast(" + to + ")";
    }
}
