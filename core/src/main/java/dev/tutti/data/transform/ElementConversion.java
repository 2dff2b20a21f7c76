package dev.tutti.data.transform;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;

/**
 * Elements as another type, in one loop per type: asking an array for each element would decide on the type every
 * time.
 */
final class ElementConversion {
    private ElementConversion() {}

    /** The elements as floats: the array's own if it has them. */
    static float[] toFloats(NdArray array) {
        if (array.type() == DType.FLOAT32) {
            return array.floats();
        }
        float[] out = new float[array.size()];
        switch (array.type()) {
            case UINT8 -> {
                byte[] in = array.bytes();
                for (int i = 0; i < out.length; i++) {
                    out[i] = in[i] & 0xff;
                }
            }
            case FLOAT64 -> {
                double[] in = array.doubles();
                for (int i = 0; i < out.length; i++) {
                    out[i] = (float) in[i];
                }
            }
            case INT32 -> {
                int[] in = array.ints();
                for (int i = 0; i < out.length; i++) {
                    out[i] = in[i];
                }
            }
            case INT64 -> {
                long[] in = array.longs();
                for (int i = 0; i < out.length; i++) {
                    out[i] = in[i];
                }
            }
            default -> {
                boolean[] in = array.booleans();
                for (int i = 0; i < out.length; i++) {
                    out[i] = in[i] ? 1 : 0;
                }
            }
        }
        return out;
    }

    static NdArray to(DType type, NdArray array) {
        return type == DType.FLOAT32 ? NdArray.wrap(type, array.shape(), toFloats(array)) : array.to(type);
    }
}
