package dev.tutti.serve.tensor;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.serve.ServeException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.stream.Collectors;

/** Element types of the Open Inference Protocol; raw bytes of them are little-endian. */
public enum Datatype {
    BOOL(1),
    UINT8(1),
    UINT16(2),
    UINT32(4),
    UINT64(8),
    INT8(1),
    INT16(2),
    INT32(4),
    INT64(8),
    FP16(2),
    FP32(4),
    FP64(8);

    private final int bytes;

    Datatype(int bytes) {
        this.bytes = bytes;
    }

    /**
     * A type by its name.
     *
     * @throws ServeException if there is none of that name
     */
    public static Datatype named(String name) {
        return Arrays.stream(values())
                .filter(type -> type.name().equals(name))
                .findFirst()
                .orElseThrow(() -> ServeException.invalid("unknown datatype '"
                        + (name.length() > 32 ? name.substring(0, 32) + "..." : name) + "': expected one of "
                        + Arrays.stream(values()).map(Enum::name).collect(Collectors.joining(", "))));
    }

    public static Datatype of(DType type) {
        return switch (type) {
            case FLOAT32 -> FP32;
            case FLOAT64 -> FP64;
            case INT64 -> INT64;
            case INT32 -> INT32;
            case UINT8 -> UINT8;
            case BOOL -> BOOL;
            case FLOAT16, BFLOAT16 -> FP16;
        };
    }

    public int bytes() {
        return bytes;
    }

    /**
     * Reads raw elements into an array of the wanted type.
     *
     * @throws ServeException if there are not as many bytes as the shape needs
     */
    public NdArray read(ByteBuffer raw, Shape shape, DType wanted) {
        if (raw.remaining() != shape.size() * bytes) {
            throw ServeException.invalid("shape " + shape + " of " + name() + " takes " + shape.size() * bytes
                    + " bytes, received " + raw.remaining());
        }
        ByteBuffer in = raw.slice().order(ByteOrder.LITTLE_ENDIAN);
        int size = Math.toIntExact(shape.size());
        NdArray array = NdArray.zeros(wanted, shape);
        if (this == FP32 && wanted == DType.FLOAT32) {
            in.asFloatBuffer().get(array.floats());
            return array;
        }
        if (this == INT64 && wanted == DType.INT64) {
            in.asLongBuffer().get(array.longs());
            return array;
        }
        for (int i = 0; i < size; i++) {
            switch (wanted) {
                case FLOAT32 -> array.floats()[i] = (float) number(in, i);
                case FLOAT64 -> array.doubles()[i] = number(in, i);
                case INT64 -> array.longs()[i] = (long) number(in, i);
                case INT32 -> array.ints()[i] = (int) number(in, i);
                case UINT8 -> array.bytes()[i] = (byte) (int) number(in, i);
                case BOOL -> array.booleans()[i] = number(in, i) != 0;
                case FLOAT16, BFLOAT16 -> throw wanted.notOfArrays();
            }
        }
        return array;
    }

    private double number(ByteBuffer in, int i) {
        return switch (this) {
            case BOOL -> in.get(i) != 0 ? 1 : 0;
            case UINT8 -> in.get(i) & 0xff;
            case UINT16 -> in.getShort(2 * i) & 0xffff;
            case UINT32 -> in.getInt(4 * i) & 0xffffffffL;
            case UINT64 -> unsigned(in.getLong(8 * i));
            case INT8 -> in.get(i);
            case INT16 -> in.getShort(2 * i);
            case INT32 -> in.getInt(4 * i);
            case INT64 -> in.getLong(8 * i);
            case FP16 -> half(in.getShort(2 * i));
            case FP32 -> in.getFloat(4 * i);
            case FP64 -> in.getDouble(8 * i);
        };
    }

    private static double unsigned(long bits) {
        return bits >= 0 ? bits : (bits >>> 1 | bits & 1) * 2.0;
    }

    /** The number that 16 bits of FP16 are. */
    public static double half(short bits) {
        int exponent = bits >> 10 & 0x1f;
        int fraction = bits & 0x3ff;
        double magnitude;
        if (exponent == 0) {
            magnitude = fraction * 0x1p-24;
        } else if (exponent == 0x1f) {
            magnitude = fraction == 0 ? Double.POSITIVE_INFINITY : Double.NaN;
        } else {
            magnitude = Math.scalb(1 + fraction * 0x1p-10, exponent - 15);
        }
        return bits < 0 ? -magnitude : magnitude;
    }

    /** The raw elements of an array in its own type. */
    public static byte[] write(NdArray array) {
        ByteBuffer out =
                ByteBuffer.allocate(array.size() * array.type().bytes()).order(ByteOrder.LITTLE_ENDIAN);
        switch (array.type()) {
            case FLOAT32 -> out.asFloatBuffer().put(array.floats());
            case FLOAT64 -> out.asDoubleBuffer().put(array.doubles());
            case INT64 -> out.asLongBuffer().put(array.longs());
            case INT32 -> out.asIntBuffer().put(array.ints());
            case UINT8 -> out.put(array.bytes());
            case BOOL -> {
                for (boolean bit : array.booleans()) {
                    out.put((byte) (bit ? 1 : 0));
                }
            }
            case FLOAT16, BFLOAT16 -> throw array.type().notOfArrays();
        }
        return out.array();
    }
}
