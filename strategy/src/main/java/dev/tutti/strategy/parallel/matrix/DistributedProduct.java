package dev.tutti.strategy.parallel.matrix;

import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.comm.Collectives;
import dev.tutti.comm.Group;
import dev.tutti.comm.Team;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * Products of two matrices whose parts are on several members.
 *
 * <p>With A by columns and B by rows each member multiplies what it has, and the product is the sum: {@link #columnsByRows}. On a grid of
 * members that each hold a block of A and of B, panels of A go along the rows of the grid and panels of B along its columns ({@link
 * #summa}), so that no member ever holds more than its blocks and two panels.
 *
 * <p>All members of the group call with parts of the same two matrices. Results belong to the open scope.
 */
public final class DistributedProduct {
    private DistributedProduct() {}

    /** The columns of A, or the rows of B, that a member holds of so many. */
    public static Range part(Group group, long length) {
        return group.part(length);
    }

    /**
     * The product, all of it on every member.
     *
     * @param a the member's columns of A
     * @param b the same rows of B
     */
    public static Tensor columnsByRows(Collectives members, Tensor a, Tensor b) {
        Tensor product = partial(a, b);
        if (members.group().size() > 1) {
            members.allReduce("product", product);
        }
        return product;
    }

    /**
     * The product, of which every member gets some rows: {@link Group#part} of them, where the members divide the number of rows.
     *
     * @throws IllegalArgumentException if they do not
     */
    public static Tensor columnsByRowsDistributed(Collectives members, Tensor a, Tensor b) {
        long rows = a.dim(0);
        int size = members.group().size();
        if (rows % size != 0) {
            throw new IllegalArgumentException("a distributed product: expected a number of rows that " + size
                    + " members divide, received " + rows);
        }
        Tensor product = partial(a, b);
        if (size > 1) {
            members.reduceScatter("product", product.view(product.size()));
        }
        Range own = members.group().part(rows);
        return product.narrow(0, own.from(), own.length());
    }

    /**
     * The product of some rows of A with all of B, gathered on every member.
     *
     * @param rows of all of A
     * @param a the member's rows, {@link Group#part} of them
     */
    public static Tensor rowsGathered(Collectives members, long rows, Tensor a, Tensor b) {
        Tensor own = partial(a, b);
        Tensor all = Tensor.zeros(Shape.of(rows, b.dim(1)), a.type());
        Range range = members.group().part(rows);
        all.narrow(0, range.from(), range.length()).copy_(own);
        if (members.group().size() > 1) {
            members.allReduce("rows of a product", all);
        }
        return all;
    }

    private static Tensor partial(Tensor a, Tensor b) {
        if (a.rank() != 2 || b.rank() != 2 || a.dim(1) != b.dim(0)) {
            throw new IllegalArgumentException("a product: expected parts [rows, inner] and [inner, columns], received "
                    + a.shape() + " and " + b.shape());
        }
        try (NoGradients off = NoGradients.begin()) {
            return a.matmul(b).contiguous();
        }
    }

    /**
     * A member's block of a product on a grid (SUMMA, van de Geijn and Watts).
     *
     * @param gridRows rows of the grid; the members fill it row by row
     * @param gridColumns its columns
     * @param inner the length of the axis that is summed over
     * @param a the member's block of A: rows by the row of the grid, columns by its column
     * @param b the member's block of B, likewise
     * @return its block of the product
     */
    public static Tensor summa(Team team, int gridRows, int gridColumns, long inner, Tensor a, Tensor b) {
        Group group = team.group();
        if (gridRows * gridColumns != group.size()) {
            throw new IllegalArgumentException("a grid of " + gridRows + " by " + gridColumns + " has "
                    + gridRows * gridColumns + " members, received " + group.size());
        }
        int row = group.rank() / gridColumns;
        int column = group.rank() % gridColumns;
        List<Integer> ofRow = new ArrayList<>();
        List<Integer> ofColumn = new ArrayList<>();
        for (int i = 0; i < gridColumns; i++) {
            ofRow.add(row * gridColumns + i);
        }
        for (int i = 0; i < gridRows; i++) {
            ofColumn.add(i * gridColumns + column);
        }
        Collectives alongRow = team.collectives(group.sub(ofRow));
        Collectives alongColumn = team.collectives(group.sub(ofColumn));
        Tensor product = Tensor.zeros(Shape.of(a.dim(0), b.dim(1)), a.type());
        Range all = new Range(0, inner);
        Long before = null;
        for (long cut : cuts(all, gridRows, gridColumns)) {
            if (before != null && cut > before) {
                addPanel(product, Range.between(before, cut), all, a, b, alongRow, alongColumn);
            }
            before = cut;
        }
        return product;
    }

    /** Where a panel ends: wherever the owner of columns of A or of rows of B changes. */
    private static TreeSet<Long> cuts(Range all, int gridRows, int gridColumns) {
        TreeSet<Long> cuts = new TreeSet<>();
        for (int i = 0; i < gridRows; i++) {
            cuts.add(all.part(i, gridRows).from());
        }
        for (int i = 0; i < gridColumns; i++) {
            cuts.add(all.part(i, gridColumns).from());
        }
        cuts.add(all.to());
        return cuts;
    }

    private static void addPanel(
            Tensor product, Range panel, Range all, Tensor a, Tensor b, Collectives alongRow, Collectives alongColumn) {
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            Tensor ofA = panel(a, 1, panel, all, "panel of A", alongRow);
            Tensor ofB = panel(b, 0, panel, all, "panel of B", alongColumn);
            product.add_(ofA.matmul(ofB));
        }
    }

    private static Tensor panel(Tensor block, int axis, Range panel, Range all, String what, Collectives members) {
        Group group = members.group();
        int owner = 0;
        while (!all.part(owner, group.size()).contains(panel)) {
            owner++;
        }
        Tensor values = owner == group.rank()
                ? block.narrow(
                                axis,
                                panel.from() - all.part(owner, group.size()).from(),
                                panel.length())
                        .contiguous()
                : Tensor.zeros(block.shape().with(axis, panel.length()), block.type());
        if (group.size() > 1) {
            members.broadcast(what, values, owner);
        }
        return values;
    }
}
