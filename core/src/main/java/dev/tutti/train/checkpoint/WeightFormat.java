package dev.tutti.train.checkpoint;

import dev.tutti.array.DType;
import dev.tutti.nn.Model;
import dev.tutti.nn.Quantization;

/**
 * How the weights of a saved model are written.
 *
 * @param type of all numbers but those in eight bits; float16 and bfloat16 take half the space, and are float32 again when they are loaded
 * @param quantization the layers whose weights take eight bits, and that answer so
 */
public record WeightFormat(DType type, Quantization quantization) {
    /** As the model has them. */
    public static WeightFormat of(Model model) {
        return new WeightFormat(model.options().type(), model.options().quantization());
    }

    public static WeightFormat of(DType type) {
        return new WeightFormat(type, Quantization.NONE);
    }
}
