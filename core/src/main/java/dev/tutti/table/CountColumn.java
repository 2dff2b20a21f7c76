package dev.tutti.table;

import java.util.Arrays;

/** A whole number for each row, by place, in blocks: nothing is copied when rows come. */
final class CountColumn {
    private static final int BLOCK = 1 << 16;

    private int[][] blocks = {};

    /** Makes room for so many rows; new ones have 0. */
    void reserve(int rows) {
        int needed = (rows + BLOCK - 1) / BLOCK;
        if (needed > blocks.length) {
            int before = blocks.length;
            blocks = Arrays.copyOf(blocks, needed);
            for (int block = before; block < needed; block++) {
                blocks[block] = new int[BLOCK];
            }
        }
    }

    int get(int row) {
        return blocks[row / BLOCK][row % BLOCK];
    }

    void set(int row, int value) {
        blocks[row / BLOCK][row % BLOCK] = value;
    }

    /** The numbers of the first rows. */
    int[] first(int rows) {
        int[] all = new int[rows];
        for (int from = 0; from < rows; from += BLOCK) {
            System.arraycopy(blocks[from / BLOCK], 0, all, from, Math.min(BLOCK, rows - from));
        }
        return all;
    }
}
