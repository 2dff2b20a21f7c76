package dev.tutti.serve.protocol;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Writes one message in protobuf's wire format. */
final class ProtoWriter {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream(64);

    ProtoWriter varint(int field, long value) {
        write((long) field << 3);
        write(value);
        return this;
    }

    ProtoWriter text(int field, String value) {
        return value.isEmpty() ? this : bytes(field, value.getBytes(StandardCharsets.UTF_8));
    }

    /** One element of a repeated field of texts, which may be empty. */
    ProtoWriter element(int field, String value) {
        return bytes(field, value.getBytes(StandardCharsets.UTF_8));
    }

    ProtoWriter message(int field, ProtoWriter value) {
        return bytes(field, value.toBytes());
    }

    /** A number of 4 bytes. */
    ProtoWriter number(int field, float value) {
        write((long) field << 3 | ProtoReader.FIXED32);
        int bits = Float.floatToRawIntBits(value);
        for (int shift = 0; shift < 32; shift += 8) {
            out.write(bits >>> shift);
        }
        return this;
    }

    /** One entry of a map from texts to messages. */
    ProtoWriter entry(int field, String key, ProtoWriter value) {
        return message(field, new ProtoWriter().text(1, key).message(2, value));
    }

    ProtoWriter bytes(int field, byte[] value) {
        write((long) field << 3 | 2);
        write(value.length);
        out.writeBytes(value);
        return this;
    }

    /** A repeated field of whole numbers, packed. */
    ProtoWriter packed(int field, long... values) {
        ProtoWriter inside = new ProtoWriter();
        for (long value : values) {
            inside.write(value);
        }
        return bytes(field, inside.toBytes());
    }

    private void write(long value) {
        long rest = value;
        while ((rest & ~0x7fL) != 0) {
            out.write((int) (rest & 0x7f | 0x80));
            rest >>>= 7;
        }
        out.write((int) rest);
    }

    byte[] toBytes() {
        return out.toByteArray();
    }
}
