package dev.tutti.strategy.compression;

import dev.tutti.array.DType;
import dev.tutti.tensor.Tensor;
import java.util.List;

/** Gradients as floats of half the bytes. */
record ShortFloatEncoder(DType type) implements GradientEncoder {
    @Override
    public List<Tensor> encode(Tensor gradients) {
        return List.of(gradients.to(type));
    }
}
