package dev.tutti.examples;

import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.cluster.Tutti;
import dev.tutti.comm.Collectives;
import dev.tutti.comm.Team;
import dev.tutti.strategy.parallel.matrix.DistributedProduct;
import dev.tutti.tensor.Engine;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.io.PrintStream;
import java.util.function.Supplier;

/**
 * The textbook case of computing together: two square matrices are multiplied by one process, and by all of them in three ways. Run it with
 * {@code ./tutti run -n 2 -- dev.tutti.examples.MatrixProduct 4096}; every process computes on one core.
 */
public final class MatrixProduct {
    private static final int ROUNDS = 3;

    private MatrixProduct() {}

    public static void main(String[] arguments) {
        Tutti.init();
        try {
            run(System.out, Tutti.team(), arguments.length == 0 ? 2048 : Integer.parseInt(arguments[0]));
        } finally {
            Tutti.close();
        }
    }

    /** All members of a team call it; the first one prints. Returns how many times as fast as one the best way was. */
    static double run(PrintStream out, Team team, int size) {
        Engine.useThreads(1);
        Collectives all = team.collectives();
        int members = team.group().size();
        boolean first = team.group().rank() == 0;
        int rows = 1;
        for (int i = 2; i * i <= members; i++) {
            rows = members % i == 0 ? i : rows;
        }
        int gridRows = rows;
        int gridColumns = members / rows;
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            Range inner = DistributedProduct.part(team.group(), size);
            Tensor a = matrix(size, inner.length());
            Tensor b = matrix(inner.length(), size);
            Tensor blockOfA = matrix(
                    part(size, team.group().rank() / gridColumns, gridRows),
                    part(size, team.group().rank() % gridColumns, gridColumns));
            Tensor blockOfB = matrix(
                    part(size, team.group().rank() / gridColumns, gridRows),
                    part(size, team.group().rank() % gridColumns, gridColumns));
            Tensor wholeA = first ? matrix(size, size) : null;
            Tensor wholeB = first ? matrix(size, size) : null;
            double one = seconds(all, () -> first ? wholeA.matmul(wholeB) : null);
            double gathered = seconds(all, () -> DistributedProduct.columnsByRows(all, a, b));
            double distributed = seconds(all, () -> DistributedProduct.columnsByRowsDistributed(all, a, b));
            double summa =
                    seconds(all, () -> DistributedProduct.summa(team, gridRows, gridColumns, size, blockOfA, blockOfB));
            if (first) {
                out.printf("%d x %d, %d members, one core each%n", size, size, members);
                print(out, "one member", one, one);
                print(out, "columns by rows, all of it on every member", gathered, one);
                print(out, "columns by rows, some rows on every member", distributed, one);
                print(out, "SUMMA on a grid of " + gridRows + " x " + gridColumns, summa, one);
            }
            return one / Math.min(gathered, Math.min(distributed, summa));
        }
    }

    private static long part(int size, int index, int parts) {
        return new Range(0, size).part(index, parts).length();
    }

    private static void print(PrintStream out, String what, double seconds, double one) {
        out.printf("  %-45s %8.3f s   %5.2fx%n", what, seconds, one / seconds);
    }

    private static Tensor matrix(long rows, long columns) {
        return Tensor.full(Shape.of(rows, columns), 0.5, dev.tutti.array.DType.FLOAT32);
    }

    /** The best of a few rounds; all members begin a round together, and it ends when all are done. */
    private static double seconds(Collectives all, Supplier<Tensor> product) {
        double best = Double.POSITIVE_INFINITY;
        for (int round = 0; round < ROUNDS; round++) {
            all.barrier("a round begins");
            long began = System.nanoTime();
            try (Scope scope = Scope.open()) {
                Tensor unused = product.get();
            }
            all.barrier("a round ends");
            best = Math.min(best, (System.nanoTime() - began) / 1e9);
        }
        return best;
    }
}
