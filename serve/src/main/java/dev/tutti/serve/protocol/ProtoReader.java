package dev.tutti.serve.protocol;

import dev.tutti.serve.ServeException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Reads one message in protobuf's wire format, field by field, without copying.
 *
 * <p>Order of calls: {@link #next} while it gives true, then one of the value methods or {@link #skip}.
 */
final class ProtoReader {
    static final int VARINT = 0;
    static final int FIXED64 = 1;
    static final int BYTES = 2;
    static final int FIXED32 = 5;

    private final ByteBuffer in;
    private int field;
    private int kind;

    ProtoReader(ByteBuffer message) {
        in = message.slice().order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Goes to the next field; false at the end. */
    boolean next() {
        if (!in.hasRemaining()) {
            return false;
        }
        long key = raw();
        field = (int) (key >>> 3);
        kind = (int) (key & 7);
        if (field < 1 || kind != VARINT && kind != FIXED64 && kind != BYTES && kind != FIXED32) {
            throw damaged("a field with the key " + key);
        }
        return true;
    }

    int field() {
        return field;
    }

    int kind() {
        return kind;
    }

    long varint() {
        require(VARINT);
        return raw();
    }

    ByteBuffer bytes() {
        require(BYTES);
        long length = raw();
        if (length < 0 || length > in.remaining()) {
            throw damaged("a field of " + length + " bytes where " + in.remaining() + " are left");
        }
        ByteBuffer part = in.slice(in.position(), (int) length).order(ByteOrder.LITTLE_ENDIAN);
        in.position(in.position() + (int) length);
        return part;
    }

    String text() {
        return StandardCharsets.UTF_8.decode(bytes()).toString();
    }

    ProtoReader message() {
        return new ProtoReader(bytes());
    }

    void skip() {
        switch (kind) {
            case VARINT -> raw();
            case BYTES -> bytes();
            default -> {
                int length = kind == FIXED64 ? 8 : 4;
                if (in.remaining() < length) {
                    throw damaged("the end within a number");
                }
                in.position(in.position() + length);
            }
        }
    }

    /** A number of a repeated field that is not packed. */
    double number(boolean floating) {
        return switch (kind) {
            case VARINT -> raw();
            case FIXED32 -> {
                check(4);
                yield in.getFloat();
            }
            case FIXED64 -> {
                check(8);
                yield in.getDouble();
            }
            default -> throw damaged(floating ? "no number" : "no whole number");
        };
    }

    private void check(int bytes) {
        if (in.remaining() < bytes) {
            throw damaged("the end within a number");
        }
    }

    boolean hasMore() {
        return in.hasRemaining();
    }

    long raw() {
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            if (!in.hasRemaining()) {
                throw damaged("the end within a number");
            }
            byte next = in.get();
            value |= (long) (next & 0x7f) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw damaged("a number of more than 10 bytes");
    }

    private void require(int wanted) {
        if (kind != wanted) {
            throw damaged("field " + field + " of kind " + kind + " where kind " + wanted + " is expected");
        }
    }

    private static ServeException damaged(String what) {
        return ServeException.invalid("the message is not a valid protobuf of this method: it has " + what);
    }
}
