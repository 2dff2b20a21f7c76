package dev.tutti.strategy.compression;

import dev.tutti.array.DType;
import dev.tutti.nn.Model;

/** Gradients travel as bfloat16. */
final class Bf16Compression implements Compression {
    @Override
    public GradientSum bind(Model model) {
        return new ShortFloatSum(DType.BFLOAT16);
    }

    @Override
    public GradientEncoder encoder() {
        return new ShortFloatEncoder(DType.BFLOAT16);
    }

    @Override
    public String toString() {
        return "bf16()";
    }
}
