package dev.tutti.table;

import java.util.Arrays;

/**
 * Where the row of each id is: ids get the places 0, 1, 2, ... in the order in which they come. It takes 19 bytes for an id at most, once there are
 * many.
 */
public final class RowIndex {
    private static final int NONE = -1;

    /** Ids of a block: beyond the first block nothing is copied when more come. */
    private static final int BLOCK = 1 << 16;

    private int[] places; // by hash, open addressing; a power of two
    private long[][] ids; // by place, in blocks; all but the last are full
    private int size;

    /** @param expected how many ids there may be at first */
    public RowIndex(int expected) {
        places = empty(Math.max(16, Integer.highestOneBit(Math.max(1, expected)) * 4));
        ids = new long[][] {new long[Math.max(8, Math.min(BLOCK, expected))]};
    }

    private static int[] empty(int length) {
        int[] all = new int[length];
        Arrays.fill(all, NONE);
        return all;
    }

    public int size() {
        return size;
    }

    /** The id at a place. */
    public long id(int place) {
        return ids[place / BLOCK][place % BLOCK];
    }

    /** All ids, by place. */
    public long[] ids() {
        long[] all = new long[size];
        for (int from = 0; from < size; from += BLOCK) {
            System.arraycopy(ids[from / BLOCK], 0, all, from, Math.min(BLOCK, size - from));
        }
        return all;
    }

    /** The place of an id; -1 if it has none. */
    public int find(long id) {
        return places[at(id)];
    }

    /** The place of an id, which it gets now if it has none. */
    public int add(long id) {
        int at = at(id);
        if (places[at] != NONE) {
            return places[at];
        }
        append(id);
        places[at] = size;
        size++;
        if (size > places.length / 4 * 3) {
            grow();
        }
        return size - 1;
    }

    private void append(long id) {
        int block = size / BLOCK;
        int within = size % BLOCK;
        if (block == ids.length) {
            ids = Arrays.copyOf(ids, block + 1);
            ids[block] = new long[BLOCK];
        } else if (within == ids[block].length) {
            ids[block] = Arrays.copyOf(ids[block], Math.min(BLOCK, within + within / 2 + 8));
        }
        ids[block][within] = id;
    }

    private int at(long id) {
        int mask = places.length - 1;
        int at = (int) IdHash.mix(id) & mask;
        while (places[at] != NONE && id(places[at]) != id) {
            at = (at + 1) & mask;
        }
        return at;
    }

    private void grow() {
        places = empty(Math.multiplyExact(places.length, 2));
        for (int place = 0; place < size; place++) {
            places[at(id(place))] = place;
        }
    }
}
