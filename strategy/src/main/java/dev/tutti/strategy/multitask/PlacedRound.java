package dev.tutti.strategy.multitask;

import dev.tutti.comm.Collectives;
import dev.tutti.train.replica.Vote;
import java.util.Arrays;
import java.util.BitSet;

/**
 * What all members say at the end of a round, by rank: the same numbers on every one of them.
 *
 * @param votes more, stop, interrupted, reopen and state of each member, and the sum of its losses
 * @param byMember rows of each task
 * @param measuredRows those whose time was taken
 * @param seconds that time
 */
record PlacedRound(double[][] votes, double[][] byMember, double[][] measuredRows, double[][] seconds) {
    private static final int VOTES = 6;

    static PlacedRound cast(
            Collectives collectives,
            Vote vote,
            double lossSum,
            double[] rows,
            double[] measuredRows,
            double[] seconds) {
        int tasks = rows.length;
        double[] mine = new double[VOTES + 3 * tasks];
        mine[0] = vote.more() ? 1 : 0;
        mine[1] = vote.stop() ? 1 : 0;
        mine[2] = vote.interrupted() ? 1 : 0;
        mine[3] = vote.reopen() ? 1 : 0;
        mine[4] = vote.state() ? 1 : 0;
        mine[5] = lossSum;
        System.arraycopy(rows, 0, mine, VOTES, tasks);
        System.arraycopy(measuredRows, 0, mine, VOTES + tasks, tasks);
        System.arraycopy(seconds, 0, mine, VOTES + 2 * tasks, tasks);
        double[][] all = collectives.gather("round of tasks", mine);
        return new PlacedRound(
                columns(all, 0, VOTES),
                columns(all, VOTES, tasks),
                columns(all, VOTES + tasks, tasks),
                columns(all, VOTES + 2 * tasks, tasks));
    }

    private static double[][] columns(double[][] all, int from, int count) {
        return Arrays.stream(all)
                .map(row -> Arrays.copyOfRange(row, from, from + count))
                .toArray(double[][]::new);
    }

    private boolean any(int vote) {
        return Arrays.stream(votes).anyMatch(each -> each[vote] > 0);
    }

    boolean more() {
        return any(0);
    }

    boolean stop() {
        return any(1);
    }

    boolean interrupted() {
        return any(2);
    }

    boolean reopen() {
        return any(3);
    }

    /** At the end of an epoch, and of training, callbacks save without having asked. */
    boolean stateWanted() {
        return any(4) || !more() || stop();
    }

    /** Rows of a member. */
    long samples(int rank) {
        return Math.round(Arrays.stream(byMember[rank]).sum());
    }

    long samples() {
        return Math.round(
                Arrays.stream(byMember).flatMapToDouble(Arrays::stream).sum());
    }

    /** The mean loss of all rows. */
    double loss() {
        return samples() == 0
                ? 0
                : Arrays.stream(votes).mapToDouble(each -> each[5]).sum() / samples();
    }

    /** Rows of each task, of all members. */
    double[] rows() {
        double[] rows = new double[byMember[0].length];
        for (double[] each : byMember) {
            for (int task = 0; task < rows.length; task++) {
                rows[task] += each[task];
            }
        }
        return rows;
    }

    /** Rows of some tasks of one member. */
    double rows(int rank, BitSet tasks) {
        return tasks.stream().mapToDouble(task -> byMember[rank][task]).sum();
    }

    /** Rows of some tasks of all members. */
    double rows(BitSet tasks) {
        double sum = 0;
        for (int rank = 0; rank < byMember.length; rank++) {
            sum += rows(rank, tasks);
        }
        return sum;
    }
}
