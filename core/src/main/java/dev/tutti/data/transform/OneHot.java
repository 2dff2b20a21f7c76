package dev.tutti.data.transform;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.data.DataException;

/** Class ids as float32 arrays with a 1 at the place of the class and 0 elsewhere. */
public final class OneHot extends ArrayTransform {
    private int classes = 2;

    private OneHot() {
        super(Side.LABELS);
    }

    OneHot(int classes) {
        this();
        if (classes <= 0) {
            throw new DataException("oneHot(" + classes + "): expected 1 class or more");
        }
        this.classes = classes;
    }

    @Override
    protected NdArray apply(NdArray array) {
        float[] out = new float[Math.multiplyExact(array.size(), classes)];
        for (int i = 0; i < array.size(); i++) {
            long id = array.longAt(i);
            if (id < 0 || id >= classes) {
                throw new DataException("class " + id + " is outside 0 to " + (classes - 1));
            }
            out[i * classes + (int) id] = 1;
        }
        return NdArray.wrap(DType.FLOAT32, array.shape().append(classes), out);
    }

    @Override
    public String toString() {
        return "oneHot(" + classes + ")";
    }
}
