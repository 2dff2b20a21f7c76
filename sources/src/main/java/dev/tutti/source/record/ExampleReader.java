package dev.tutti.source.record;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Finds the features of a {@code tf.Example} in its bytes, without making objects of their values. The wire format is protobuf's:
 * {@code Example {1: Features {1: {1: name, 2: Feature {1: bytes list | 2: float list | 3: int64 list}}}}}.
 */
final class ExampleReader {
    static final int BYTES = 1;
    static final int FLOATS = 2;
    static final int INTEGERS = 3;

    private ExampleReader() {}

    /** A feature's kind of list and the bytes of that list. */
    record Found(int kind, ByteBuffer list) {}

    /** All features by their names. */
    static Map<String, Found> all(ByteBuffer example) {
        Map<String, Found> features = new LinkedHashMap<>();
        while (example.hasRemaining()) {
            if (varint(example) != 10) {
                throw new IllegalArgumentException("expected a tf.Example");
            }
            ByteBuffer entries = piece(example);
            while (entries.hasRemaining()) {
                varint(entries);
                entry(piece(entries), features);
            }
        }
        return features;
    }

    private static void entry(ByteBuffer entry, Map<String, Found> features) {
        String name = "";
        Found found = new Found(0, ByteBuffer.allocate(0));
        while (entry.hasRemaining()) {
            long key = varint(entry);
            ByteBuffer value = piece(entry);
            if (key == 10) {
                name = StandardCharsets.UTF_8.decode(value).toString();
            } else {
                while (value.hasRemaining()) {
                    int kind = (int) (varint(value) >>> 3);
                    found = new Found(kind, piece(value));
                }
            }
        }
        features.put(name, found);
    }

    /** A piece that its length stands before. */
    static ByteBuffer piece(ByteBuffer in) {
        int length = Math.toIntExact(varint(in));
        ByteBuffer piece = in.slice(in.position(), length).order(in.order());
        in.position(in.position() + length);
        return piece;
    }

    static long varint(ByteBuffer in) {
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            byte b = in.get();
            value |= (long) (b & 0x7f) << shift;
            if (b >= 0) {
                return value;
            }
        }
        throw new IllegalArgumentException("a number is longer than 64 bits");
    }

    /** How many values a list has. */
    static int count(Found found) {
        ByteBuffer list = found.list().duplicate().order(found.list().order());
        int count = 0;
        while (list.hasRemaining()) {
            long key = varint(list);
            if (found.kind() == BYTES) {
                piece(list);
                count++;
            } else if (key == 10) {
                ByteBuffer packed = piece(list);
                if (found.kind() == FLOATS) {
                    count += packed.remaining() / Float.BYTES;
                } else {
                    for (; packed.hasRemaining(); count++) {
                        varint(packed);
                    }
                }
            } else {
                count++;
                if (found.kind() == FLOATS) {
                    list.getFloat();
                } else {
                    varint(list);
                }
            }
        }
        return count;
    }

    /** Copies a list of floats; gives how many there were, which may be more than fit. */
    static int floats(Found found, float[] out, int from, int most) {
        ByteBuffer list = found.list();
        int count = 0;
        while (list.hasRemaining()) {
            ByteBuffer values = varint(list) == 10 ? piece(list) : single(list, Float.BYTES);
            int here = values.remaining() / Float.BYTES;
            int fits = Math.max(0, Math.min(here, most - count));
            values.asFloatBuffer().get(out, from + count, fits);
            count += here;
        }
        return count;
    }

    private static ByteBuffer single(ByteBuffer list, int bytes) {
        ByteBuffer value = list.slice(list.position(), bytes).order(list.order());
        list.position(list.position() + bytes);
        return value;
    }

    /** Copies a list of whole numbers; gives how many there were, which may be more than fit. */
    static int integers(Found found, long[] out, int from, int most) {
        ByteBuffer list = found.list();
        int count = 0;
        while (list.hasRemaining()) {
            boolean packed = varint(list) == 10;
            ByteBuffer values = packed ? piece(list) : list;
            for (boolean more = !packed || values.hasRemaining(); more; more = packed && values.hasRemaining()) {
                long value = varint(values);
                if (count < most) {
                    out[from + count] = value;
                }
                count++;
            }
        }
        return count;
    }

    /** The first bytes of a list of bytes. */
    static ByteBuffer bytes(Found found) {
        ByteBuffer list = found.list();
        varint(list);
        return piece(list);
    }
}
