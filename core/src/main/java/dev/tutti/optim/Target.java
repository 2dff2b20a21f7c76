package dev.tutti.optim;

import dev.tutti.tensor.FlatVector;
import dev.tutti.tensor.FusedUpdate;
import dev.tutti.tensor.NamedRange;
import dev.tutti.tensor.Range;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * What an optimizer updates: a range of a vector.
 *
 * <p>The range is the whole vector on one machine; where the work is divided each member updates a part. Of the range
 * only what is trainable at the moment is touched.
 *
 * @param parameters all named ranges of the vector, also those outside of the range: they matter to settings that
 *     go by name, such as no decay for biases
 * @param trainable asked at every step, so that freezing works while training
 */
public record Target(FlatVector vector, Range range, List<NamedRange> parameters, Supplier<List<Range>> trainable) {
    public Target {
        Objects.requireNonNull(vector, "vector");
        Objects.requireNonNull(trainable, "trainable");
        parameters = List.copyOf(parameters);
        if (!vector.all().contains(range)) {
            throw new IllegalArgumentException(
                    "the range " + range + " does not lie within the vector " + vector.all());
        }
    }

    /** The whole vector, all of it learning. */
    public static Target all(FlatVector vector, List<NamedRange> parameters) {
        return new Target(vector, vector.all(), parameters, () -> List.of(vector.all()));
    }

    /**
     * One of several parts of nearly equal length. They are cut where the update comes out the same, bit for bit, as
     * that of the whole: at multiples of {@link FusedUpdate#BLOCK}. Where there are more parts than blocks some are
     * empty.
     */
    public Target part(int index, int parts) {
        return new Target(vector, Range.between(cut(index, parts), cut(index + 1, parts)), parameters, trainable);
    }

    private long cut(int index, int parts) {
        if (index == 0 || index == parts) {
            return index == 0 ? range.from() : range.to();
        }
        long exact = range.from() + range.length() / parts * index + range.length() % parts * index / parts;
        return Math.max(range.from(), exact / FusedUpdate.BLOCK * FusedUpdate.BLOCK);
    }

    /** The stretches to update now, as ranges of the vector. */
    public List<Range> segments() {
        return within(trainable.get());
    }

    /** What of the given ranges lies within the target's. */
    List<Range> within(List<Range> ranges) {
        return ranges.stream()
                .map(range::intersect)
                .filter(segment -> !segment.isEmpty())
                .toList();
    }
}
