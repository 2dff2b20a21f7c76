package dev.tutti.strategy.compression;

import dev.tutti.nn.Model;
import dev.tutti.tensor.DType;

/** Gradients travel as bfloat16. */
final class Bf16 implements Compression {
    @Override
    public GradientSum bind(Model model) {
        return new ShortFloatSum(DType.BFLOAT16);
    }

    @Override
    public String toString() {
        return "bf16()";
    }
}
