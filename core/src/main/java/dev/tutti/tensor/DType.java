package dev.tutti.tensor;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The type of one element of an array or tensor. */
public enum DType {
    FLOAT32(4),
    FLOAT64(8),
    INT64(8),
    INT32(4),
    UINT8(1),
    BOOL(1);

    private final int bytes;

    DType(int bytes) {
        this.bytes = bytes;
    }

    /** Bytes one element takes. */
    public int bytes() {
        return bytes;
    }

    public boolean isFloating() {
        return this == FLOAT32 || this == FLOAT64;
    }

    /** The type named as in files: {@code float32}, {@code int64}, ... */
    @JsonCreator
    public static DType named(String name) {
        for (DType type : values()) {
            if (type.toString().equals(name)) {
                return type;
            }
        }
        throw new IllegalArgumentException("unknown element type '" + name + "': expected one of "
                + Arrays.stream(values()).map(DType::toString).collect(Collectors.joining(", ")));
    }

    @JsonValue
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
