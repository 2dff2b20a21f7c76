package dev.tutti.optim;

import dev.tutti.tensor.FlatVector;
import dev.tutti.tensor.NamedRange;
import dev.tutti.tensor.Range;
import java.util.List;
import java.util.function.Supplier;

/**
 * What an optimizer updates: a range of a vector.
 *
 * <p>The range is the whole vector on one machine; where the work is divided each member updates a part. Names matter only to
 * settings that go by name, such as no decay for biases. Of the range only what is trainable at the moment is touched.
 */
public record Target(
        FlatVector vector, Range range, List<NamedRange> parameters, Supplier<List<Range>> trainable) {
    /** The whole vector, all of it learning. */
    public static Target all(FlatVector vector, List<NamedRange> parameters) {
        return new Target(vector, vector.all(), parameters, () -> List.of(vector.all()));
    }

    /** The stretches to update now, as ranges of the vector. */
    public List<Range> segments() {
        return trainable.get().stream()
                .map(range::intersect)
                .filter(segment -> !segment.isEmpty())
                .toList();
    }
}
