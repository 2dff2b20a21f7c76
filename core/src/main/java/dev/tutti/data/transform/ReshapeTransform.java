package dev.tutti.data.transform;

import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.data.DataException;
import java.util.Arrays;

/** The same elements under another shape, without copying them. */
public final class ReshapeTransform extends ArrayTransform {
    private long[] shape = {Shape.ANY};

    private ReshapeTransform() {
        super(Side.FEATURES);
    }

    ReshapeTransform(long... shape) {
        this();
        this.shape = shape.clone();
    }

    @Override
    protected NdArray apply(NdArray array) {
        return NdArray.wrap(array.type(), resolved(array), array.data());
    }

    private Shape resolved(NdArray array) {
        Shape wanted = Shape.of(shape);
        if (wanted.isKnown() && wanted.size() == array.size()) {
            return wanted;
        }
        long known = 1;
        int open = -1;
        for (int i = 0; i < shape.length; i++) {
            if (shape[i] != Shape.ANY) {
                known *= shape[i];
            } else if (open >= 0) {
                throw new DataException("reshape" + wanted + ": at most one extent may be left open");
            } else {
                open = i;
            }
        }
        if (open < 0 || known == 0 || array.size() % known != 0) {
            throw new DataException("an array of " + array + " does not fit the shape " + wanted);
        }
        return wanted.with(open, array.size() / known);
    }

    @Override
    public String toString() {
        return "reshape(" + Arrays.toString(shape) + ")";
    }
}
