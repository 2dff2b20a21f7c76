package dev.tutti.nn;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tutti.tensor.quantized.ActivationRange;

/**
 * How one layer computes in eight-bit integers.
 *
 * @param input the range of what comes in; null where each batch is rounded by its own range
 * @param output the range of what goes out; null where it stays float32
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record LayerQuantization(ActivationRange input, ActivationRange output) {
    /** Weights are rounded once, inputs by the range of each batch. */
    static final LayerQuantization DYNAMIC = new LayerQuantization(null, null);

    public LayerQuantization {
        if ((input == null) != (output == null)) {
            throw new IllegalArgumentException("expected the ranges of input and output, or none of them");
        }
    }
}
