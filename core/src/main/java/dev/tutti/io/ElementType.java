package dev.tutti.io;

import dev.tutti.array.DType;

/** The element types of safetensors that are understood, and what they become in memory. */
enum ElementType {
    F32(4, DType.FLOAT32),
    F64(8, DType.FLOAT64),
    I64(8, DType.INT64),
    I32(4, DType.INT32),
    U8(1, DType.UINT8),
    BOOL(1, DType.BOOL),
    F16(2, DType.FLOAT32),
    BF16(2, DType.FLOAT32);

    private final int bytes;
    private final DType inMemory;

    ElementType(int bytes, DType inMemory) {
        this.bytes = bytes;
        this.inMemory = inMemory;
    }

    int bytes() {
        return bytes;
    }

    DType inMemory() {
        return inMemory;
    }

    /** The type of a tensor with the same bytes. */
    DType inTensors() {
        return switch (this) {
            case F16 -> DType.FLOAT16;
            case BF16 -> DType.BFLOAT16;
            default -> inMemory;
        };
    }

    static ElementType of(DType type) {
        return switch (type) {
            case FLOAT32 -> F32;
            case FLOAT64 -> F64;
            case INT64 -> I64;
            case INT32 -> I32;
            case UINT8 -> U8;
            case BOOL -> BOOL;
            case FLOAT16 -> F16;
            case BFLOAT16 -> BF16;
        };
    }

    /** A half-precision number: sign, 5 bits of exponent, 10 of fraction. (Java has this from version 20 on.) */
    static float halfToFloat(short half) {
        int sign = (half & 0x8000) << 16;
        int exponent = (half >> 10) & 0x1f;
        int fraction = half & 0x3ff;
        if (exponent == 0) {
            float magnitude = fraction * 0x1p-24f;
            return sign == 0 ? magnitude : -magnitude;
        }
        int wide = exponent == 0x1f ? 0xff : exponent - 15 + 127;
        return Float.intBitsToFloat(sign | wide << 23 | fraction << 13);
    }
}
