package dev.tutti.data.transform;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;

/** Every element times a factor plus an offset, as float32. */
public final class Scale extends ArrayTransform {
    private double factor = 1;
    private double offset;

    private Scale() {
        super(Side.FEATURES);
    }

    Scale(double factor, double offset) {
        this();
        this.factor = factor;
        this.offset = offset;
    }

    @Override
    protected NdArray apply(NdArray array) {
        float[] out = new float[array.size()];
        float times = (float) factor;
        float plus = (float) offset;
        if (array.type() == DType.UINT8) {
            byte[] in = array.bytes();
            for (int i = 0; i < out.length; i++) {
                out[i] = (in[i] & 0xff) * times + plus;
            }
        } else {
            float[] in = ElementConversion.toFloats(array);
            for (int i = 0; i < out.length; i++) {
                out[i] = in[i] * times + plus;
            }
        }
        return NdArray.wrap(DType.FLOAT32, array.shape(), out);
    }
}
