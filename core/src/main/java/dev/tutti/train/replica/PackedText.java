package dev.tutti.train.replica;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** A text as whole numbers: its length in bytes, then eight bytes in each. */
final class PackedText {
    private PackedText() {}

    static long[] pack(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        ByteBuffer padded = ByteBuffer.allocate((bytes.length + Long.BYTES - 1) / Long.BYTES * Long.BYTES);
        padded.put(bytes).clear();
        long[] numbers = new long[1 + padded.capacity() / Long.BYTES];
        numbers[0] = bytes.length;
        padded.asLongBuffer().get(numbers, 1, numbers.length - 1);
        return numbers;
    }

    static String unpack(long[] numbers) {
        ByteBuffer bytes = ByteBuffer.allocate((numbers.length - 1) * Long.BYTES);
        bytes.asLongBuffer().put(numbers, 1, numbers.length - 1);
        return new String(bytes.array(), 0, Math.toIntExact(numbers[0]), StandardCharsets.UTF_8);
    }
}
