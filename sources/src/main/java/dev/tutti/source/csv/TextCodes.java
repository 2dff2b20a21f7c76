package dev.tutti.source.csv;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/** The different texts of a column within a segment, by a number each, found by their bytes: a text is decoded once. */
final class TextCodes {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long MIX = 0x9E3779B97F4A7C15L;

    private final Set<String> missing;
    private final List<byte[]> encoded = new ArrayList<>();
    private final List<String> texts = new ArrayList<>();
    private int[] slots = new int[256];
    private long[] hashes = new long[256];

    /** @param missing texts that stand for a missing value; their text is null */
    TextCodes(Set<String> missing) {
        this.missing = missing;
    }

    void clear() {
        if (!texts.isEmpty()) {
            encoded.clear();
            texts.clear();
            Arrays.fill(slots, 0);
        }
    }

    /** The texts in the order of their codes; null is a missing value. */
    List<String> texts() {
        return texts;
    }

    /** The code of a range of bytes, behind which eight more can be read; -1 if they are not UTF-8. */
    int code(byte[] bytes, int from, int to) {
        long hash = hash(bytes, from, to);
        for (int at = (int) hash & slots.length - 1; ; at = at + 1 & slots.length - 1) {
            int slot = slots[at];
            if (slot == 0) {
                return add(bytes, from, to, hash, at);
            }
            if (hashes[at] == hash) {
                if (isSame(encoded.get(slot - 1), bytes, from, to)) {
                    return slot - 1;
                }
            }
        }
    }

    private static boolean isSame(byte[] known, byte[] bytes, int from, int to) {
        int length = known.length - Long.BYTES;
        if (length != to - from) {
            return false;
        }
        int at = 0;
        for (; length - at >= Long.BYTES; at += Long.BYTES) {
            if ((long) LONGS.get(known, at) != (long) LONGS.get(bytes, from + at)) {
                return false;
            }
        }
        long rest = (1L << (length - at) * Byte.SIZE) - 1;
        return (((long) LONGS.get(known, at) ^ (long) LONGS.get(bytes, from + at)) & rest) == 0;
    }

    private static long hash(byte[] bytes, int from, int to) {
        long hash = (long) to - from;
        int at = from;
        for (; to - at >= Long.BYTES; at += Long.BYTES) {
            hash = (hash ^ (long) LONGS.get(bytes, at)) * MIX;
            hash ^= hash >>> 32;
        }
        if (at < to) {
            long rest = (long) LONGS.get(bytes, at) & (1L << (to - at) * Byte.SIZE) - 1;
            hash = (hash ^ rest) * MIX;
        }
        return hash ^ hash >>> 29;
    }

    private int add(byte[] bytes, int from, int to, long hash, int at) {
        String text;
        try {
            text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes, from, to - from))
                    .toString();
        } catch (CharacterCodingException e) {
            return -1;
        }
        encoded.add(Arrays.copyOfRange(bytes, from, to + Long.BYTES)); // room to read eight bytes anywhere
        texts.add(missing.contains(text) ? null : text);
        slots[at] = texts.size();
        hashes[at] = hash;
        if (texts.size() * 2 > slots.length) {
            grow();
        }
        return texts.size() - 1;
    }

    private void grow() {
        int[] oldSlots = slots;
        long[] oldHashes = hashes;
        slots = new int[oldSlots.length * 4];
        hashes = new long[slots.length];
        for (int i = 0; i < oldSlots.length; i++) {
            if (oldSlots[i] != 0) {
                int at = (int) oldHashes[i] & slots.length - 1;
                while (slots[at] != 0) {
                    at = at + 1 & slots.length - 1;
                }
                slots[at] = oldSlots[i];
                hashes[at] = oldHashes[i];
            }
        }
    }
}
