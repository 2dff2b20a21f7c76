package dev.tutti.train.replica;

import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.nn.Slice;
import java.util.List;

/**
 * What one member has and needs of a divided state, as it tells the others.
 *
 * @param version updates that its slices have seen
 * @param agreed updates that it knows all members to have finished
 */
public record StateInventory(long version, long agreed, List<Entry> held, List<Entry> needed) {
    /** A slice, as it is written. */
    public record Entry(String name, long[] whole, int axis, long from, long length) {
        public static Entry of(Slice slice) {
            return new Entry(
                    slice.parameter(),
                    slice.whole().toArray(),
                    slice.axis(),
                    slice.rows().from(),
                    slice.rows().length());
        }

        public Slice slice() {
            return new Slice(name, Shape.of(whole), axis, new Range(from, length));
        }
    }

    static StateInventory of(HeldState state) {
        return new StateInventory(
                state.version(), state.agreed(), entries(state.held().keySet()), entries(state.needed()));
    }

    private static List<Entry> entries(Iterable<Slice> slices) {
        List<Entry> entries = new java.util.ArrayList<>();
        slices.forEach(slice -> entries.add(Entry.of(slice)));
        return entries;
    }

    List<Slice> heldSlices() {
        return held.stream().map(Entry::slice).toList();
    }

    List<Slice> neededSlices() {
        return needed.stream().map(Entry::slice).toList();
    }
}
