package dev.tutti.strategy.averaging;

import dev.tutti.comm.Collectives;
import dev.tutti.comm.Group;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.util.Arrays;

/** Few numbers that every member gives and all receive. */
final class Table {
    private Table() {}

    /** The numbers of all members, by rank, exactly as given: they are sums with zeros. */
    static double[][] gather(Collectives collectives, String what, double... mine) {
        Group group = collectives.group();
        if (group.size() == 1) {
            return new double[][] {mine};
        }
        double[] all = new double[group.size() * mine.length];
        System.arraycopy(mine, 0, all, group.rank() * mine.length, mine.length);
        double[] sums = sum(collectives, what, all);
        double[][] rows = new double[group.size()][];
        for (int rank = 0; rank < rows.length; rank++) {
            rows[rank] = Arrays.copyOfRange(sums, rank * mine.length, (rank + 1) * mine.length);
        }
        return rows;
    }

    /** The sums over all members. */
    static double[] sum(Collectives collectives, String what, double... mine) {
        if (collectives.group().size() == 1 || mine.length == 0) {
            return mine;
        }
        try (Scope scope = Scope.open()) {
            Tensor values = Tensor.of(mine.clone(), mine.length);
            collectives.allReduce(what, values);
            return values.toArray().doubles();
        }
    }
}
