package dev.tutti.train.checkpoint;

import dev.tutti.nn.Slice;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Who writes which slice of a checkpoint: every slice once, by one of its holders, so that all write about equally much. Every member
 * computes the same assignment.
 */
final class PartAssignment {
    private static final int CHIEF = 0;

    private final Map<Slice, Integer> holders = new LinkedHashMap<>();
    private final List<PartWriter.Offer> offers;

    PartAssignment(List<PartWriter.Offer> offers) {
        this.offers = offers;
        Map<Slice, List<Integer>> all = new LinkedHashMap<>();
        for (int rank = 0; rank < offers.size(); rank++) {
            for (Slice slice : offers.get(rank).slices()) {
                all.computeIfAbsent(slice, each -> new ArrayList<>()).add(rank);
            }
        }
        long[] elements = new long[offers.size()];
        all.forEach((slice, ranks) -> {
            int holder = choose(ranks, elements);
            elements[holder] += slice.shape().size();
            holders.put(slice, holder);
        });
    }

    /** The one with the least to write; one that does not see the folder only where no other holds the slice. */
    private int choose(List<Integer> ranks, long[] elements) {
        List<Integer> seeing =
                ranks.stream().filter(rank -> offers.get(rank).seesFolder()).toList();
        int chosen = -1;
        for (int rank : seeing.isEmpty() ? ranks : seeing) {
            if (chosen < 0 || elements[rank] < elements[chosen]) {
                chosen = rank;
            }
        }
        return chosen;
    }

    /** Takes a slice, the rank of the member that gives it, and that of the one that writes it. */
    interface Each {
        void accept(Slice slice, int holder, int writer);
    }

    /** All slices, in the same order on every member. */
    void forEach(Each each) {
        holders.forEach(
                (slice, holder) -> each.accept(slice, holder, offers.get(holder).seesFolder() ? holder : CHIEF));
    }
}
