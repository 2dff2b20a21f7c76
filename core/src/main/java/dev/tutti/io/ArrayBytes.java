package dev.tutti.io;

import dev.tutti.array.NdArray;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Arrays as little-endian bytes, through one buffer of bounded size however large the array is. */
final class ArrayBytes {
    private final byte[] bytes = new byte[1 << 18];
    private final ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);

    void write(NdArray array, OutputStream out) throws IOException {
        int width = array.type().bytes();
        int size = array.size();
        int most = bytes.length / width;
        for (int from = 0; from < size; from += most) {
            int count = Math.min(most, size - from);
            buffer.clear();
            switch (array.type()) {
                case FLOAT32 -> buffer.asFloatBuffer().put(array.floats(), from, count);
                case FLOAT64 -> buffer.asDoubleBuffer().put(array.doubles(), from, count);
                case INT64 -> buffer.asLongBuffer().put(array.longs(), from, count);
                case INT32 -> buffer.asIntBuffer().put(array.ints(), from, count);
                case UINT8 -> buffer.put(array.bytes(), from, count);
                case BOOL -> {
                    boolean[] values = array.booleans();
                    for (int i = 0; i < count; i++) {
                        bytes[i] = (byte) (values[from + i] ? 1 : 0);
                    }
                }
                case FLOAT16, BFLOAT16 -> throw array.type().notOfArrays();
            }
            out.write(bytes, 0, count * width);
        }
    }

    /** Reads as many elements as the array behind {@code target} has; half-precision types widen into its floats. */
    void read(ElementType type, NdArray target, InputStream in) throws IOException {
        int width = type.bytes();
        int size = target.size();
        int most = bytes.length / width;
        for (int from = 0; from < size; from += most) {
            int count = Math.min(most, size - from);
            if (in.readNBytes(bytes, 0, count * width) < count * width) {
                throw new EOFException();
            }
            buffer.clear();
            switch (type) {
                case F32 -> buffer.asFloatBuffer().get(target.floats(), from, count);
                case F64 -> buffer.asDoubleBuffer().get(target.doubles(), from, count);
                case I64 -> buffer.asLongBuffer().get(target.longs(), from, count);
                case I32 -> buffer.asIntBuffer().get(target.ints(), from, count);
                case U8 -> buffer.get(target.bytes(), from, count);
                case BOOL -> {
                    for (int i = 0; i < count; i++) {
                        target.booleans()[from + i] = bytes[i] != 0;
                    }
                }
                case F16 -> {
                    for (int i = 0; i < count; i++) {
                        target.floats()[from + i] = ElementType.halfToFloat(buffer.getShort(2 * i));
                    }
                }
                case BF16 -> {
                    for (int i = 0; i < count; i++) {
                        target.floats()[from + i] = Float.intBitsToFloat(buffer.getShort(2 * i) << 16);
                    }
                }
            }
        }
    }
}
