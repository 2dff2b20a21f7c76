package dev.tutti.strategy.averaging;

import dev.tutti.comm.Collectives;
import dev.tutti.comm.Group;
import java.util.Arrays;

/** Few numbers that every member gives and all receive. */
final class MemberNumbers {
    private MemberNumbers() {}

    /** The numbers of all members, by rank, exactly as given: they are sums with zeros. */
    static double[][] gather(Collectives collectives, String what, double... mine) {
        Group group = collectives.group();
        if (group.size() == 1) {
            return new double[][] {mine};
        }
        double[] all = new double[group.size() * mine.length];
        System.arraycopy(mine, 0, all, group.rank() * mine.length, mine.length);
        double[] sums = collectives.sum(what, all);
        double[][] rows = new double[group.size()][];
        for (int rank = 0; rank < rows.length; rank++) {
            rows[rank] = Arrays.copyOfRange(sums, rank * mine.length, (rank + 1) * mine.length);
        }
        return rows;
    }
}
