package dev.tutti.source.duckdb;

import dev.tutti.source.table.ColumnBuilder;
import org.duckdb.DuckDBReadableVector;

/**
 * Copies a column of text without making a string of every value: a text is known again by 63 bits of DuckDB's hash of it, and fetched
 * when it comes for the first time. That two of as many texts as a dictionary takes (2^17) have the same hash has a chance of one in a
 * billion.
 */
final class HashedTexts {
    private static final int MOST = 1 << 18;
    private static final int NONE = -1;

    private final ColumnBuilder into;
    private long[] hashes = new long[1 << 10];
    private int[] codes = new int[1 << 10];
    private int known;

    HashedTexts(ColumnBuilder into) {
        this.into = into;
    }

    void copy(DuckDBReadableVector texts, DuckDBReadableVector hashed, int count) {
        for (int i = 0; i < count; i++) {
            if (texts.isNull(i)) {
                into.addMissing();
            } else {
                add(texts, i, hashed.getLong(i));
            }
        }
    }

    private void add(DuckDBReadableVector texts, int row, long hash) {
        int at = (int) (hash ^ hash >>> 32) & hashes.length - 1;
        while (codes[at] != 0) {
            if (hashes[at] == hash) {
                into.addCode(codes[at] - 1);
                return;
            }
            at = at + 1 & hashes.length - 1;
        }
        int code = into.add(texts.getString(row));
        if (code != NONE && known < MOST) {
            hashes[at] = hash;
            codes[at] = code + 1;
            if (++known * 2 > hashes.length) {
                grow();
            }
        }
    }

    private void grow() {
        long[] oldHashes = hashes;
        int[] oldCodes = codes;
        hashes = new long[oldHashes.length * 4];
        codes = new int[hashes.length];
        for (int i = 0; i < oldCodes.length; i++) {
            if (oldCodes[i] != 0) {
                int at = (int) (oldHashes[i] ^ oldHashes[i] >>> 32) & hashes.length - 1;
                while (codes[at] != 0) {
                    at = at + 1 & hashes.length - 1;
                }
                hashes[at] = oldHashes[i];
                codes[at] = oldCodes[i];
            }
        }
    }
}
