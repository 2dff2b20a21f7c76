package dev.tutti.nn;

import dev.tutti.array.Shape;
import dev.tutti.tensor.Functions;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.vector.ParameterLayout;

/**
 * The settings of a low-rank adapter (LoRA, Hu et al., 2021): beside a frozen matrix {@code W} two small ones learn, and {@code x (W +
 * alpha / rank * B A)ᵀ} is computed. {@code B} begins at zero, so that an adapter changes nothing at first.
 *
 * @param rank rows of {@code A} and columns of {@code B}
 * @param alpha how much the adapter counts
 */
public record LowRankAdapter(int rank, double alpha) {
    /** The names of its parameters end with these. */
    static final String A = "lora_a";

    static final String B = "lora_b";

    double scale() {
        return alpha / rank;
    }

    void build(String prefix, long out, long in, BuildContext build) {
        build.require(rank > 0 && alpha > 0, "needs an adapter of rank and alpha above 0, received " + this);
        build.parameter(prefix + A, Shape.of(rank, in), Initializer.FAN_IN);
        build.parameter(prefix + B, Shape.of(out, rank), Initializer.ZEROS, rank, out, ParameterLayout.PLAIN);
    }

    /** What the adapter adds to a product; {@code b} may be some rows of it. */
    Tensor forward(Tensor x, Tensor a, Tensor b) {
        return Functions.linear(Functions.linear(x, a, null), b, null).mul(scale());
    }

    /** The whole matrix in TorchScript. */
    String script(String weight, String a, String b) {
        return "(" + weight + " + " + scale() + " * torch.matmul(" + b + ", " + a + "))";
    }
}
