package dev.tutti.train.replica;

import dev.tutti.array.Range;
import dev.tutti.nn.Slice;
import java.util.ArrayList;
import java.util.List;

/**
 * Elements that one member gives to another.
 *
 * @param slice what travels: a part of a slice that {@code from} holds and of one that {@code to} needs
 * @param from the rank of the holder; equal to {@code to} where the elements are there already
 */
record SliceTransfer(Slice slice, int from, int to) {
    /**
     * Covers a slice with parts that members hold.
     *
     * @param order the ranks to look at, in order
     * @param uncovered takes the elements that no member holds
     */
    static List<SliceTransfer> cover(
            Slice needed, int to, List<Integer> order, List<List<Slice>> held, List<Slice> uncovered) {
        Slice wanted = needed.along(axisOf(needed, order, held));
        List<SliceTransfer> transfers = new ArrayList<>();
        List<Range> open = new ArrayList<>(List.of(wanted.rows()));
        for (int rank : order) {
            for (Slice theirs : held.get(rank)) {
                Slice turned = theirs.along(wanted.axis());
                if (isOfTheSame(turned, wanted) && !open.isEmpty()) {
                    open = without(open, turned, rank, to, transfers);
                }
            }
        }
        open.stream().filter(range -> !range.isEmpty()).forEach(range -> uncovered.add(wanted.at(range)));
        return transfers;
    }

    /** The axis along which holders have divided what is needed in full. */
    private static int axisOf(Slice needed, List<Integer> order, List<List<Slice>> held) {
        if (needed.isAll()) {
            for (int rank : order) {
                for (Slice theirs : held.get(rank)) {
                    if (theirs.parameter().equals(needed.parameter())) {
                        return theirs.isAll() ? needed.axis() : theirs.axis();
                    }
                }
            }
        }
        return needed.axis();
    }

    private static boolean isOfTheSame(Slice one, Slice other) {
        return one.parameter().equals(other.parameter())
                && one.whole().equals(other.whole())
                && one.axis() == other.axis();
    }

    private static List<Range> without(
            List<Range> open, Slice theirs, int from, int to, List<SliceTransfer> transfers) {
        List<Range> left = new ArrayList<>();
        for (Range range : open) {
            Range common = range.intersect(theirs.rows());
            if (common.isEmpty()) {
                left.add(range);
                continue;
            }
            transfers.add(new SliceTransfer(theirs.at(common), from, to));
            left.add(Range.between(range.from(), common.from()));
            left.add(Range.between(common.to(), range.to()));
        }
        left.removeIf(Range::isEmpty);
        return left;
    }
}
