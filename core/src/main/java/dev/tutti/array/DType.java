package dev.tutti.array;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The type of one element of an array or tensor.
 *
 * <p>{@link #FLOAT16} and {@link #BFLOAT16} are types of tensors alone, for what travels between members: {@code
 * tensor.to(BFLOAT16)} before, {@code to(FLOAT32)} behind. Java has no arrays of them, and models do not compute in them.
 */
public enum DType {
    FLOAT32(4),
    FLOAT64(8),
    INT64(8),
    INT32(4),
    UINT8(1),
    BOOL(1),
    FLOAT16(2),
    BFLOAT16(2);

    private final int bytes;

    DType(int bytes) {
        this.bytes = bytes;
    }

    /** Bytes one element takes. */
    public int bytes() {
        return bytes;
    }

    public boolean isFloating() {
        return this == FLOAT32 || this == FLOAT64 || this == FLOAT16 || this == BFLOAT16;
    }

    /** Whether there are arrays of this type in the JVM's memory and models of it. */
    public boolean isOfArrays() {
        return this != FLOAT16 && this != BFLOAT16;
    }

    /** Says that something is not there for types that only tensors have. */
    public IllegalArgumentException notOfArrays() {
        return new IllegalArgumentException(this
                + " is a type for tensors on their way between members: there are no arrays of it. Convert the tensor with"
                + " to(FLOAT32) first");
    }

    /** The type named as in files: {@code float32}, {@code int64}, ... */
    @JsonCreator
    public static DType named(String name) {
        for (DType type : values()) {
            if (type.isOfArrays() && type.toString().equals(name)) {
                return type;
            }
        }
        throw new IllegalArgumentException("unknown element type '" + name + "': expected one of "
                + Arrays.stream(values())
                        .filter(DType::isOfArrays)
                        .map(DType::toString)
                        .collect(Collectors.joining(", ")));
    }

    @JsonValue
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
