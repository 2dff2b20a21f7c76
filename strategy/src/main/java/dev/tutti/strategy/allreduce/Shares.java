package dev.tutti.strategy.allreduce;

import dev.tutti.array.Range;
import java.util.Arrays;

/**
 * How a batch is divided among members: equally at first, then in proportion to their pace, so that all are done at the same
 * time.
 *
 * <p>Every member keeps its own and feeds it the same numbers, so all come to the same shares.
 */
final class Shares {
    /** Steps that are watched before shares change: a single pause says nothing. */
    static final int WATCHED_STEPS = 30;

    /** How much the slowest must lie behind the mean for a change: opening feeds anew costs as well. */
    static final double WORTH_CHANGING = 1.2;

    /** The least share, as a part of an equal one: who gets nothing cannot show that it is as fast as the others again. */
    static final double LEAST = 0.1;

    private final double[] weights;
    private final double[] seconds;
    private final double[] mentioned; // the weights that were last worth a line in the log
    private boolean everMentioned;
    private int watched;

    Shares(int members) {
        weights = new double[members];
        seconds = new double[members];
        mentioned = new double[members];
        Arrays.fill(weights, 1.0 / members);
    }

    /** The rows of a batch that belong to the member with a rank. */
    Range of(int rank, int batch) {
        int members = weights.length;
        int least = batch >= members ? 1 : 0; // who has no row cannot show its pace
        double sum = 0;
        long from = 0;
        for (int i = 0; ; i++) {
            sum += weights[i];
            long most = batch - (long) least * (members - 1 - i);
            long to = i == members - 1 ? batch : Math.min(most, Math.max(from + least, Math.round(sum * batch)));
            if (i == rank) {
                return Range.between(from, to);
            }
            from = to;
        }
    }

    /**
     * Looks at how long each member took for a sample.
     *
     * @return true when shares have changed
     */
    boolean observe(double[] secondsPerSample) {
        for (double each : secondsPerSample) {
            if (each == 0) {
                return false; // a member had no data: the end of an epoch says nothing about pace
            }
        }
        for (int i = 0; i < seconds.length; i++) {
            seconds[i] += secondsPerSample[i];
        }
        if (++watched < WATCHED_STEPS) {
            return false;
        }
        boolean changed = rebalance();
        Arrays.fill(seconds, 0);
        watched = 0;
        return changed;
    }

    /**
     * Whether the log should mention the shares: the first time that they have changed, and then when one of them is half or twice what was
     * mentioned last. A pace that wavers on a busy machine does not fill the log.
     */
    boolean areWorthMentioning() {
        boolean worth = !everMentioned;
        for (int i = 0; i < weights.length; i++) {
            worth |= weights[i] >= 2 * mentioned[i] || weights[i] <= mentioned[i] / 2;
        }
        if (worth) {
            everMentioned = true;
            System.arraycopy(weights, 0, mentioned, 0, weights.length);
        }
        return worth;
    }

    private boolean rebalance() {
        double slowest = 0;
        double mean = 0;
        double paces = 0;
        for (int i = 0; i < seconds.length; i++) {
            double time = seconds[i] * weights[i];
            slowest = Math.max(slowest, time);
            mean += time / seconds.length;
            paces += 1 / seconds[i];
        }
        if (slowest < mean * WORTH_CHANGING) {
            return false;
        }
        double sum = 0;
        for (int i = 0; i < seconds.length; i++) {
            weights[i] = Math.max(1 / seconds[i] / paces, LEAST / seconds.length);
            sum += weights[i];
        }
        for (int i = 0; i < seconds.length; i++) {
            weights[i] /= sum;
        }
        return true;
    }

    @Override
    public String toString() {
        return Arrays.toString(Arrays.stream(weights)
                .mapToLong(weight -> Math.round(weight * 100))
                .toArray());
    }
}
