package dev.tutti.tensor.vector;

import dev.tutti.array.Range;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.util.List;
import java.util.function.Consumer;

/** Ranges of a vector as one tensor, such as for one call to other members. */
public final class PackedRanges {
    private PackedRanges() {}

    /**
     * Lets work change the elements of some ranges in place: those of a single range where they lie, those of several in a copy that is
     * written back. Does nothing where there are no elements.
     */
    public static void change(Tensor vector, List<Range> ranges, Consumer<Tensor> work) {
        List<Range> filled = ranges.stream().filter(range -> !range.isEmpty()).toList();
        if (filled.isEmpty()) {
            return;
        }
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            if (filled.size() == 1) {
                work.accept(of(vector, filled.get(0)));
                return;
            }
            Tensor packed = Tensor.concat(
                    filled.stream().map(range -> of(vector, range)).toList(), 0);
            work.accept(packed);
            long at = 0;
            for (Range range : filled) {
                of(vector, range).copy_(packed.narrow(0, at, range.length()));
                at += range.length();
            }
        }
    }

    private static Tensor of(Tensor vector, Range range) {
        return vector.narrow(0, range.from(), range.length());
    }
}
