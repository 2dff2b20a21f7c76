package dev.tutti.data.transform;

import dev.tutti.data.Dataset;
import java.util.List;
import java.util.Optional;

/**
 * A transform that learns from the training part, such as means and vocabularies, before it is applied to any data.
 *
 * <p>Order of calls: {@link #fit} once, on the training part alone; the result is an immutable definition, saved with the model.
 */
public interface FittedTransform extends Transform {
    /** Whether it has learned all it needs. */
    boolean isFitted();

    /** This transform with what one pass over the data has shown; the same for the same rows in any order. */
    FittedTransform fit(Dataset training);

    /** What an output of the model means in the units of the label: a number that was scaled to be learned is scaled back. */
    default double meaning(double output) {
        return output;
    }

    /** Makes inputs of raw rows by the names of their columns, where this transform is one of columns and has been fitted. */
    default Optional<NamedRowEncoder> namedRows() {
        return Optional.empty();
    }

    /** The names of the classes of the label, in the order of their ids; empty where the label is a number or missing. */
    default List<String> classes() {
        return List.of();
    }
}
