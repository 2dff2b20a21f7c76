package dev.tutti.strategy.ps.board;

import java.util.Arrays;

/**
 * How long the workers of a group take for a push, as the entries of the board tell, and how many clocks a push of one of them is.
 *
 * <p>A clock is a push at the pace of the fastest worker. A worker that takes k times as long makes a push in k clocks: it has less to
 * do in each clock, and does not hold the others to its own pace. All begin with a clock for each push.
 */
public final class WorkerPaces {
    /** The most clocks that a push is: so old can a gradient of a slow worker become beside the bound. */
    public static final int MOST_CLOCKS = 10;

    /** Pushes of a worker before its pace counts: the first ones compile everything. */
    static final int ENOUGH = 10;

    private static final double WEIGHT = 0.1;

    private double[] seconds = {};
    private int[] pushes = {};

    /** The workers have met, or begin an epoch: so many of them, which are measured anew. */
    public void begin(int workers) {
        seconds = new double[workers];
        pushes = new int[workers];
    }

    /** Takes in what an entry tells; one of an earlier group with more workers is passed over. */
    public void add(BoardEntry entry) {
        int rank = entry.effort().rank();
        if (entry.updates() == 0 || entry.effort().busyNanos() <= 0 || rank >= seconds.length) {
            return;
        }
        pushes[rank]++;
        double weight = Math.max(WEIGHT, 1.0 / pushes[rank]);
        seconds[rank] += weight * (entry.effort().busyNanos() / 1e9 - seconds[rank]);
    }

    /** The clocks of a push of one worker. */
    public int clocks(int rank) {
        if (rank >= pushes.length || pushes[rank] < ENOUGH) {
            return 1;
        }
        double fastest = Double.MAX_VALUE;
        for (int other = 0; other < pushes.length; other++) {
            if (pushes[other] >= ENOUGH) {
                fastest = Math.min(fastest, seconds[other]);
            }
        }
        return (int) Math.max(1, Math.min(MOST_CLOCKS, Math.round(seconds[rank] / fastest)));
    }

    @Override
    public String toString() {
        return Arrays.toString(seconds);
    }
}
