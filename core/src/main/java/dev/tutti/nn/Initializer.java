package dev.tutti.nn;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.tutti.DidYouMean;
import dev.tutti.table.FirstValues;
import dev.tutti.table.FirstValues.Distribution;
import dev.tutti.tensor.Randomness;
import dev.tutti.tensor.Tensor;
import java.util.Arrays;

/**
 * What a parameter holds before training.
 *
 * <p>{@code fanIn} and {@code fanOut} are the numbers of inputs and outputs one element connects, which the layer knows.
 */
public enum Initializer {
    ZEROS("zeros"),
    ONES("ones"),
    /** Evenly within {@code ±1/sqrt(fanIn)}, what PyTorch's layers begin with. */
    FAN_IN("fanIn"),
    /** Glorot and Bengio: evenly within {@code ±sqrt(6/(fanIn+fanOut))}. */
    GLOROT("glorot"),
    /** He: normal with deviation {@code sqrt(2/fanIn)}, for rectified units. */
    HE("he"),
    /** Normal with deviation 1, for embeddings. */
    NORMAL("normal"),
    /** Normal with deviation 0.02, usual for transformers. */
    SMALL_NORMAL("smallNormal"),
    /** Rows (or columns) at right angles to each other, for recurrent weights. */
    ORTHOGONAL("orthogonal");

    private final String label;

    Initializer(String label) {
        this.label = label;
    }

    void fill(Tensor values, long fanIn, long fanOut, Randomness random) {
        switch (this) {
            case ZEROS -> values.zero_();
            case ONES -> values.fill_(1);
            case FAN_IN -> uniform(values, 1 / Math.sqrt(Math.max(1, fanIn)), random);
            case GLOROT -> uniform(values, Math.sqrt(6.0 / Math.max(1, fanIn + fanOut)), random);
            case HE -> random.normal_(values, 0, Math.sqrt(2.0 / Math.max(1, fanIn)));
            case NORMAL -> random.normal_(values, 0, 1);
            case SMALL_NORMAL -> random.normal_(values, 0, 0.02);
            case ORTHOGONAL -> {
                random.normal_(values, 0, 1);
                values.write(OrthogonalMatrix.of(values.toArray()));
            }
        }
    }

    /** The same for the rows of a table: each element of a row connects one id with all of the row. */
    FirstValues firstRows(int width, BuildContext build) {
        return switch (this) {
            case ZEROS -> new FirstValues(Distribution.CONSTANT, 0);
            case ONES -> new FirstValues(Distribution.CONSTANT, 1);
            case FAN_IN -> new FirstValues(Distribution.UNIFORM, 1 / Math.sqrt(width));
            case NORMAL -> new FirstValues(Distribution.NORMAL, 1);
            case SMALL_NORMAL -> new FirstValues(Distribution.NORMAL, 0.02);
            case HE -> new FirstValues(Distribution.NORMAL, Math.sqrt(2.0 / width));
            case GLOROT, ORTHOGONAL ->
                throw build.failure("has a table, whose rows cannot begin as '" + this
                        + "': expected one of zeros, ones, fanIn, normal, smallNormal, he");
        };
    }

    private static void uniform(Tensor values, double bound, Randomness random) {
        random.uniform_(values, -bound, bound);
    }

    @JsonCreator
    static Initializer named(String name) {
        return Arrays.stream(values())
                .filter(initializer -> initializer.label.equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("unknown initializer '" + name + "'"
                        + DidYouMean.hint(
                                name,
                                Arrays.stream(values())
                                        .map(Initializer::toString)
                                        .toList())));
    }

    @JsonValue
    @Override
    public String toString() {
        return label;
    }
}
