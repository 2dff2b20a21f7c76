package dev.tutti.io;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads event files with a parser of its own, and checks every checksum. */
final class TestingEventReader {
    record Event(double wallTime, long step, String fileVersion, List<Value> values) {}

    /** One value of a summary; what it does not have is null. */
    record Value(String tag, Float scalar, Histogram histogram, String text) {}

    private TestingEventReader() {}

    static List<Event> read(Path file) throws IOException {
        return read(Files.readAllBytes(file));
    }

    static List<Event> read(byte[] file) {
        ByteBuffer in = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
        List<Event> events = new ArrayList<>();
        while (in.hasRemaining()) {
            int start = in.position();
            int length = Math.toIntExact(in.getLong());
            checkCrc(file, start, 8, in.getInt());
            byte[] record = new byte[length];
            in.get(record);
            checkCrc(file, start + 12, length, in.getInt());
            events.add(event(fields(record)));
        }
        return events;
    }

    private static void checkCrc(byte[] file, int offset, int length, int stated) {
        int crc = ~0;
        for (int i = offset; i < offset + length; i++) {
            crc ^= file[i] & 0xff;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc >>> 1) ^ ((crc & 1) == 0 ? 0 : 0x82f63b78); // Castagnoli's polynomial, bit by bit
            }
        }
        crc = ~crc;
        int masked = ((crc >>> 15) | (crc << 17)) + 0xa282ead8;
        if (masked != stated) {
            throw new AssertionError("the checksum of " + length + " bytes at " + offset + " does not fit");
        }
    }

    private static Event event(Map<Integer, List<Object>> fields) {
        List<Value> values = new ArrayList<>();
        for (Object summary : fields.getOrDefault(5, List.of())) {
            for (Object value : fields((byte[]) summary).getOrDefault(1, List.of())) {
                values.add(value(fields((byte[]) value)));
            }
        }
        byte[] version = (byte[]) first(fields, 3);
        Long step = (Long) first(fields, 2);
        return new Event(
                Double.longBitsToDouble((Long) first(fields, 1)),
                step == null ? 0 : step,
                version == null ? null : text(version),
                values);
    }

    private static Value value(Map<Integer, List<Object>> fields) {
        Integer scalar = (Integer) first(fields, 2);
        byte[] histogram = (byte[]) first(fields, 5);
        byte[] tensor = (byte[]) first(fields, 8);
        return new Value(
                text((byte[]) first(fields, 1)),
                scalar == null ? null : Float.intBitsToFloat(scalar),
                histogram == null ? null : histogram(fields(histogram)),
                tensor == null ? null : text((byte[]) first(fields(tensor), 8)));
    }

    private static Histogram histogram(Map<Integer, List<Object>> fields) {
        return new Histogram(
                number(fields, 1),
                number(fields, 2),
                (long) number(fields, 3),
                number(fields, 4),
                number(fields, 5),
                doubles((byte[]) first(fields, 6)),
                doubles((byte[]) first(fields, 7)));
    }

    private static double number(Map<Integer, List<Object>> fields, int field) {
        Object bits = first(fields, field);
        return bits == null ? 0 : Double.longBitsToDouble((Long) bits);
    }

    private static double[] doubles(byte[] packed) {
        double[] out = new double[packed.length / 8];
        ByteBuffer.wrap(packed).order(ByteOrder.LITTLE_ENDIAN).asDoubleBuffer().get(out);
        return out;
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static Object first(Map<Integer, List<Object>> fields, int field) {
        return fields.containsKey(field) ? fields.get(field).get(0) : null;
    }

    /** The fields of a message: whole numbers and doubles as Long, floats as Integer, the rest as bytes. */
    private static Map<Integer, List<Object>> fields(byte[] message) {
        ByteBuffer in = ByteBuffer.wrap(message).order(ByteOrder.LITTLE_ENDIAN);
        Map<Integer, List<Object>> fields = new LinkedHashMap<>();
        while (in.hasRemaining()) {
            int key = (int) varint(in);
            Object value = switch (key & 7) {
                case 0 -> varint(in);
                case 1 -> in.getLong();
                case 2 -> {
                    byte[] bytes = new byte[(int) varint(in)];
                    in.get(bytes);
                    yield bytes;
                }
                case 5 -> in.getInt();
                default -> throw new AssertionError("no such kind of field: " + (key & 7));
            };
            fields.computeIfAbsent(key >>> 3, k -> new ArrayList<>()).add(value);
        }
        return fields;
    }

    private static long varint(ByteBuffer in) {
        long value = 0;
        for (int shift = 0; ; shift += 7) {
            byte b = in.get();
            value |= (long) (b & 0x7f) << shift;
            if (b >= 0) {
                return value;
            }
        }
    }
}
