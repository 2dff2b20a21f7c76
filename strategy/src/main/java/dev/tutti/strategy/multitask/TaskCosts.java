package dev.tutti.strategy.multitask;

import java.util.Arrays;

/**
 * What tasks cost and how fast members are, from what all members have measured: the same numbers on every one of them.
 *
 * <p>How long a row of a task takes on one member says nothing of which of the two is slow. So there is a first round in which all members
 * work on all tasks; later ones are compared with it.
 */
final class TaskCosts {
    private static final double NEWER = 0.5; // how much a new measurement counts beside the earlier ones

    private static final double FORGOTTEN = 0.05;

    private final double[] secondsPerRow;
    private final double[] rowsPerRound;
    private final double[] slowness;

    TaskCosts(int tasks, int members) {
        secondsPerRow = new double[tasks];
        rowsPerRound = new double[tasks];
        slowness = new double[members];
        Arrays.fill(secondsPerRow, 1);
        Arrays.fill(slowness, 1);
    }

    /**
     * Takes in a round in which all members worked on all tasks.
     *
     * @param rows of each task, by member
     * @param seconds spent on them
     */
    void compare(double[][] rows, double[][] seconds) {
        count(rows, false);
        for (int task = 0; task < secondsPerRow.length; task++) {
            double sum = 0;
            int members = 0;
            for (int rank = 0; rank < rows.length; rank++) {
                if (rows[rank][task] > 0) {
                    sum += seconds[rank][task] / rows[rank][task];
                    members++;
                }
            }
            secondsPerRow[task] = members == 0 || sum == 0 ? secondsPerRow[task] : sum / members;
        }
        for (int rank = 0; rank < rows.length; rank++) {
            slowness[rank] = slowness(rows[rank], seconds[rank], 1);
        }
    }

    /** Takes in a round in which members worked on the tasks of their own. */
    void follow(double[][] rows, double[][] seconds) {
        count(rows, true);
        for (int rank = 0; rank < rows.length; rank++) {
            double now = slowness(rows[rank], seconds[rank], Double.NaN);
            // A member without tasks is not measured: it is trusted again little by little, and gets another try.
            slowness[rank] += Double.isNaN(now) ? FORGOTTEN * (1 - slowness[rank]) : NEWER * (now - slowness[rank]);
        }
    }

    private void count(double[][] rows, boolean follows) {
        for (int task = 0; task < rowsPerRound.length; task++) {
            double sum = 0;
            for (double[] each : rows) {
                sum += each[task];
            }
            rowsPerRound[task] = follows ? rowsPerRound[task] + NEWER * (sum - rowsPerRound[task]) : sum;
        }
    }

    private double slowness(double[] rows, double[] seconds, double otherwise) {
        double expected = 0;
        double spent = 0;
        for (int task = 0; task < rows.length; task++) {
            expected += rows[task] * secondsPerRow[task];
            spent += seconds[task];
        }
        return expected > 0 && spent > 0 ? spent / expected : otherwise;
    }

    double secondsPerRow(int task) {
        return secondsPerRow[task];
    }

    /** Of each member. */
    double[] slowness() {
        return slowness.clone();
    }

    /** Seconds of each task in a round on a member of ordinary pace; 0 for one that rests, some for one that was not measured yet. */
    double[] work(boolean[] active) {
        double known = 0;
        int measured = 0;
        for (int task = 0; task < active.length; task++) {
            if (active[task] && rowsPerRound[task] > 0) {
                known += rowsPerRound[task] * secondsPerRow[task];
                measured++;
            }
        }
        double usual = measured == 0 ? 1 : known / measured;
        double[] work = new double[active.length];
        for (int task = 0; task < active.length; task++) {
            double own = rowsPerRound[task] * secondsPerRow[task];
            work[task] = !active[task] ? 0 : own > 0 ? own : usual;
        }
        return work;
    }
}
