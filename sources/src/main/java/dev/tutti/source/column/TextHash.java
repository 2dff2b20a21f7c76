package dev.tutti.source.column;

import java.nio.charset.StandardCharsets;

/** A hash of text that is the same on every JVM and in every release: FNV-1a over UTF-8, mixed once more. */
final class TextHash {
    private static final long OFFSET = 0xcbf29ce484222325L;
    private static final long PRIME = 0x100000001b3L;

    private TextHash() {}

    static long of(String text) {
        long hash = OFFSET;
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ (b & 0xff)) * PRIME;
        }
        return mixed(hash);
    }

    /** One hash of two. */
    static long combined(long first, long second) {
        return mixed(first * PRIME ^ second);
    }

    static long mixed(long z) {
        z = (z ^ (z >>> 33)) * 0xff51afd7ed558ccdL;
        z = (z ^ (z >>> 33)) * 0xc4ceb9fe1a85ec53L;
        return z ^ (z >>> 33);
    }
}
