package dev.tutti.table;

import java.util.Arrays;

/**
 * Where the row of each id is: ids get the places 0, 1, 2, ... in the order in which they come. It takes 16 bytes for an id at most, once it
 * has grown.
 */
public final class RowIndex {
    private static final int NONE = -1;

    private int[] places; // by hash, open addressing; a power of two
    private long[] ids; // by place
    private int size;

    /** @param expected how many ids there may be at first */
    public RowIndex(int expected) {
        places = empty(Math.max(16, Integer.highestOneBit(Math.max(1, expected)) * 4));
        ids = new long[Math.max(8, expected)];
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
        return ids[place];
    }

    /** All ids, by place. */
    public long[] ids() {
        return Arrays.copyOf(ids, size);
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
        if (size == ids.length) {
            ids = Arrays.copyOf(ids, Math.addExact(size, size / 4 + 8));
        }
        ids[size] = id;
        places[at] = size;
        size++;
        if (size > places.length / 4 * 3) {
            grow();
        }
        return size - 1;
    }

    private int at(long id) {
        int mask = places.length - 1;
        int at = (int) IdHash.mix(id) & mask;
        while (places[at] != NONE && ids[places[at]] != id) {
            at = (at + 1) & mask;
        }
        return at;
    }

    private void grow() {
        places = empty(Math.multiplyExact(places.length, 2));
        for (int place = 0; place < size; place++) {
            places[at(ids[place])] = place;
        }
    }
}
