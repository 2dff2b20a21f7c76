package dev.tutti.federated.wire;

import dev.tutti.TuttiException;
import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.federated.ClientState;
import java.util.Arrays;
import java.util.Map;
import java.util.SplittableRandom;

/** Makes a vector small for its way; what is lost is remembered by the client and added to its next vector. */
abstract class VectorEncoder {
    private static final int BLOCK = 256;
    private static final int ONE_OF = 100;

    static VectorEncoder of(UpdateEncoding encoding) {
        return switch (encoding) {
            case BFLOAT16 -> new Bfloat16();
            case INT8 -> new Int8();
            case TOP_K -> new TopPlaces();
            case FLOAT32 -> throw new IllegalArgumentException("float32 travels by name");
        };
    }

    /** The vector and what was unsent as arrays; the state then holds what is unsent now. */
    final Map<String, NdArray> encode(float[] vector, ClientState state) {
        float[] owed = vector.clone();
        state.get(ClientState.UNSENT).ifPresent(unsent -> {
            for (int i = 0; i < owed.length; i++) {
                owed[i] += unsent[i];
            }
        });
        Map<String, NdArray> arrays = pack(owed);
        float[] sent = decode(arrays, owed.length, "an encoded vector");
        for (int i = 0; i < owed.length; i++) {
            owed[i] -= sent[i];
        }
        state.put(ClientState.UNSENT, owed);
        return arrays;
    }

    abstract Map<String, NdArray> pack(float[] vector);

    abstract float[] decode(Map<String, NdArray> arrays, int size, String from);

    static NdArray array(Map<String, NdArray> arrays, String name, DType type, int size, String from) {
        NdArray array = arrays.get(name);
        if (array == null || array.type() != type || size >= 0 && array.size() != size) {
            throw new TuttiException(from + ": expected '" + name + "' as " + type
                    + (size < 0 ? "" : " of " + size + " values") + ", received "
                    + (array == null ? "arrays " + arrays.keySet() : array.toString()));
        }
        return array;
    }

    private static final class Bfloat16 extends VectorEncoder {
        @Override
        Map<String, NdArray> pack(float[] vector) {
            byte[] bytes = new byte[2 * vector.length];
            for (int i = 0; i < vector.length; i++) {
                int bits = Float.floatToRawIntBits(vector[i]);
                int rounded = bits + 0x7fff + (bits >>> 16 & 1); // to the nearest, ties to even
                bytes[2 * i] = (byte) (rounded >>> 16);
                bytes[2 * i + 1] = (byte) (rounded >>> 24);
            }
            return Map.of("bfloat16", NdArray.of(bytes, bytes.length));
        }

        @Override
        float[] decode(Map<String, NdArray> arrays, int size, String from) {
            byte[] bytes =
                    array(arrays, "bfloat16", DType.UINT8, 2 * size, from).bytes();
            float[] vector = new float[size];
            for (int i = 0; i < size; i++) {
                vector[i] = Float.intBitsToFloat((bytes[2 * i] & 0xff) << 16 | (bytes[2 * i + 1] & 0xff) << 24);
            }
            return vector;
        }
    }

    private static final class Int8 extends VectorEncoder {
        @Override
        Map<String, NdArray> pack(float[] vector) {
            int blocks = (vector.length + BLOCK - 1) / BLOCK;
            byte[] bytes = new byte[vector.length];
            float[] scales = new float[blocks];
            SplittableRandom random = new SplittableRandom(Arrays.hashCode(vector));
            for (int block = 0; block < blocks; block++) {
                int to = Math.min(vector.length, (block + 1) * BLOCK);
                float most = 0;
                for (int i = block * BLOCK; i < to; i++) {
                    most = Math.max(most, Math.abs(vector[i]));
                }
                scales[block] = most / 127;
                for (int i = block * BLOCK; i < to && most > 0; i++) {
                    bytes[i] = (byte) Math.max(
                            -127, Math.min(127, Math.floor(vector[i] / scales[block] + random.nextDouble())));
                }
            }
            return Map.of("int8", NdArray.of(bytes, bytes.length), "scales", NdArray.of(scales, blocks));
        }

        @Override
        float[] decode(Map<String, NdArray> arrays, int size, String from) {
            byte[] bytes = array(arrays, "int8", DType.UINT8, size, from).bytes();
            float[] scales = array(arrays, "scales", DType.FLOAT32, (size + BLOCK - 1) / BLOCK, from)
                    .floats();
            float[] vector = new float[size];
            for (int i = 0; i < size; i++) {
                vector[i] = bytes[i] * scales[i / BLOCK];
            }
            return vector;
        }
    }

    private static final class TopPlaces extends VectorEncoder {
        @Override
        Map<String, NdArray> pack(float[] vector) {
            int count = Math.max(1, vector.length / ONE_OF);
            float[] sizes = new float[vector.length];
            for (int i = 0; i < sizes.length; i++) {
                sizes[i] = Math.abs(vector[i]);
            }
            Arrays.sort(sizes);
            float least = sizes[sizes.length - count];
            int[] places = new int[count];
            float[] values = new float[count];
            int found = 0;
            for (int pass = 0;
                    pass < 2;
                    pass++) { // those above the bound, then as many at the bound as there is room for
                for (int i = 0; i < vector.length && found < count; i++) {
                    float size = Math.abs(vector[i]);
                    if (pass == 0 ? size > least : size == least) {
                        places[found] = i;
                        values[found++] = vector[i];
                    }
                }
            }
            return Map.of(
                    "places", NdArray.of(Arrays.copyOf(places, found), found),
                    "values", NdArray.of(Arrays.copyOf(values, found), found));
        }

        @Override
        float[] decode(Map<String, NdArray> arrays, int size, String from) {
            int[] places = array(arrays, "places", DType.INT32, -1, from).ints();
            float[] values =
                    array(arrays, "values", DType.FLOAT32, places.length, from).floats();
            float[] vector = new float[size];
            for (int i = 0; i < places.length; i++) {
                if (places[i] < 0 || places[i] >= size) {
                    throw new TuttiException(from + ": place " + places[i] + " is outside of the vector of " + size);
                }
                vector[places[i]] = values[i];
            }
            return vector;
        }
    }
}
