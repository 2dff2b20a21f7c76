package dev.tutti.io;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Writes one message in the wire format of protobuf: each field is a key of number and kind, then its value. */
final class Proto {
    private static final int VARINT = 0;
    private static final int FIXED64 = 1;
    private static final int LENGTH_DELIMITED = 2;
    private static final int FIXED32 = 5;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream(64);

    Proto varint(int field, long value) {
        key(field, VARINT);
        writeVarint(value);
        return this;
    }

    Proto fixed(int field, double value) {
        key(field, FIXED64);
        little(Double.doubleToRawLongBits(value), Double.BYTES);
        return this;
    }

    Proto fixed(int field, float value) {
        key(field, FIXED32);
        little(Float.floatToRawIntBits(value), Float.BYTES);
        return this;
    }

    Proto text(int field, String value) {
        return bytes(field, value.getBytes(StandardCharsets.UTF_8));
    }

    Proto message(int field, Proto value) {
        return bytes(field, value.toBytes());
    }

    /** A repeated field of doubles, packed. */
    Proto doubles(int field, double[] values) {
        key(field, LENGTH_DELIMITED);
        writeVarint((long) values.length * Double.BYTES);
        for (double value : values) {
            little(Double.doubleToRawLongBits(value), Double.BYTES);
        }
        return this;
    }

    byte[] toBytes() {
        return out.toByteArray();
    }

    private Proto bytes(int field, byte[] value) {
        key(field, LENGTH_DELIMITED);
        writeVarint(value.length);
        out.writeBytes(value);
        return this;
    }

    private void key(int field, int kind) {
        writeVarint((long) field << 3 | kind);
    }

    /** Seven bits per byte, lowest first; the eighth bit marks that more bytes follow. */
    private void writeVarint(long value) {
        long rest = value;
        while ((rest & ~0x7fL) != 0) {
            out.write((int) (rest & 0x7f | 0x80));
            rest >>>= 7;
        }
        out.write((int) rest);
    }

    private void little(long bits, int bytes) {
        for (int i = 0; i < bytes; i++) {
            out.write((int) (bits >>> 8 * i));
        }
    }
}
