package dev.tutti.data.transform;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.data.DataException;
import java.util.Arrays;

/** Other class ids: the new one of each old one, such as {@code [0, 1, 0, 1]} for odd and even. */
public final class Relabel extends ArrayTransform {
    private long[] classes = {};

    private Relabel() {
        super(Side.LABELS);
    }

    /** @param classes the new id of class 0, 1, 2, ... */
    public static Relabel to(long... classes) {
        Relabel relabel = new Relabel();
        relabel.classes = classes.clone();
        return relabel;
    }

    @Override
    protected NdArray apply(NdArray array) {
        long[] out = new long[array.size()];
        for (int i = 0; i < out.length; i++) {
            long id = array.longAt(i);
            if (id < 0 || id >= classes.length) {
                throw new DataException("relabel: class " + id + " is outside 0 to " + (classes.length - 1));
            }
            out[i] = classes[(int) id];
        }
        return NdArray.wrap(DType.INT64, array.shape(), out);
    }

    @Override
    public String toString() {
        return "relabel" + Arrays.toString(classes);
    }
}
