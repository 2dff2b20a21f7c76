package dev.tutti.table;

import java.nio.charset.StandardCharsets;

/** Ids of things that have none: names, pairs, and ids that are brought into a smaller range. The same on every machine. */
public final class IdHash {
    private IdHash() {}

    /** Spreads the bits of a number; no two numbers give the same one. */
    public static long mix(long value) {
        long z = value + 0x9E3779B97F4A7C15L;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }

    /** The id of a value of a feature, such as {@code ("city", "Oslo")}; 0 or more. */
    public static long of(String feature, String value) {
        long hash = 0xCBF29CE484222325L;
        for (byte letter : (feature + '\0' + value).getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ letter) * 0x100000001B3L;
        }
        return mix(hash) >>> 1;
    }

    /** A number from 0 to less than {@code buckets}. */
    public static long bucket(long id, long buckets) {
        return Long.remainderUnsigned(mix(id), buckets);
    }
}
