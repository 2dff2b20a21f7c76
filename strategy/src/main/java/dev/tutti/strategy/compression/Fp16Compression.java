package dev.tutti.strategy.compression;

import dev.tutti.array.DType;
import dev.tutti.nn.Model;

/** Gradients travel as float16. Those above 65504 become infinite: where that can be, bf16 is the better choice. */
final class Fp16Compression implements Compression {
    @Override
    public GradientSum bind(Model model) {
        return new ShortFloatSum(DType.FLOAT16);
    }

    @Override
    public GradientEncoder encoder() {
        return new ShortFloatEncoder(DType.FLOAT16);
    }

    @Override
    public String toString() {
        return "fp16()";
    }
}
