package dev.tutti.data.stage;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.data.Sample;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * Samples as raw values, for the file a cache overflows into. Read back by the JVM that wrote them, so byte order is
 * its own.
 */
public final class SampleCodec {
    private static final DType[] TYPES = DType.values();

    private SampleCodec() {}

    public static ByteBuffer encode(Sample sample) {
        ByteBuffer out = ByteBuffer.allocate(2 * Integer.BYTES + bytes(sample.features()) + bytes(sample.labels()))
                .order(ByteOrder.nativeOrder());
        put(out, sample.features());
        put(out, sample.labels());
        return out.flip();
    }

    static Sample decode(byte[] encoded) {
        ByteBuffer in = ByteBuffer.wrap(encoded).order(ByteOrder.nativeOrder());
        return new Sample(get(in), get(in));
    }

    private static int bytes(List<NdArray> arrays) {
        long bytes = 0;
        for (NdArray array : arrays) {
            bytes += 2
                    + (long) Long.BYTES * array.shape().rank()
                    + (long) array.size() * array.type().bytes();
        }
        return Math.toIntExact(bytes);
    }

    private static void put(ByteBuffer out, List<NdArray> arrays) {
        out.putInt(arrays.size());
        for (NdArray array : arrays) {
            out.put((byte) array.type().ordinal()).put((byte) array.shape().rank());
            for (long dim : array.shape().toArray()) {
                out.putLong(dim);
            }
            switch (array.type()) {
                case FLOAT32 -> out.asFloatBuffer().put(array.floats());
                case FLOAT64 -> out.asDoubleBuffer().put(array.doubles());
                case INT64 -> out.asLongBuffer().put(array.longs());
                case INT32 -> out.asIntBuffer().put(array.ints());
                case UINT8 -> out.slice().put(array.bytes());
                case BOOL -> {
                    ByteBuffer bits = out.slice();
                    for (boolean value : array.booleans()) {
                        bits.put((byte) (value ? 1 : 0));
                    }
                }
                case FLOAT16, BFLOAT16 -> throw array.type().notOfArrays();
            }
            out.position(out.position() + array.size() * array.type().bytes());
        }
    }

    private static List<NdArray> get(ByteBuffer in) {
        int count = in.getInt();
        List<NdArray> arrays = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            DType type = TYPES[in.get()];
            long[] dims = new long[in.get()];
            for (int axis = 0; axis < dims.length; axis++) {
                dims[axis] = in.getLong();
            }
            NdArray array = NdArray.zeros(type, Shape.of(dims));
            switch (type) {
                case FLOAT32 -> in.asFloatBuffer().get(array.floats());
                case FLOAT64 -> in.asDoubleBuffer().get(array.doubles());
                case INT64 -> in.asLongBuffer().get(array.longs());
                case INT32 -> in.asIntBuffer().get(array.ints());
                case UINT8 -> in.slice().get(array.bytes());
                case BOOL -> {
                    ByteBuffer bits = in.slice();
                    boolean[] values = array.booleans();
                    for (int at = 0; at < values.length; at++) {
                        values[at] = bits.get() != 0;
                    }
                }
                case FLOAT16, BFLOAT16 -> throw type.notOfArrays();
            }
            in.position(in.position() + array.size() * type.bytes());
            arrays.add(array);
        }
        return arrays;
    }
}
