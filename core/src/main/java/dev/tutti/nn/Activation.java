package dev.tutti.nn;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.tutti.tensor.Functions;
import dev.tutti.tensor.Tensor;
import java.util.Arrays;
import java.util.function.UnaryOperator;

/** The function a layer ends with. Those over classes (softmax) work on the last axis. */
public enum Activation {
    NONE("none", x -> x, "%s"),
    RELU("relu", Functions::relu, "torch.relu(%s)"),
    RELU6("relu6", Functions::relu6, "torch.clamp(%s, 0.0, 6.0)"),
    LEAKY_RELU("leakyRelu", x -> Functions.leakyRelu(x, 0.01), "torch.leaky_relu(%s, 0.01)"),
    ELU("elu", Functions::elu, "torch.elu(%s)"),
    SELU("selu", Functions::selu, "torch.selu(%s)"),
    GELU("gelu", Functions::gelu, "torch.gelu(%s)"),
    GELU_TANH("geluTanh", Functions::geluTanh, "torch.gelu(%s, approximate='tanh')"),
    SILU("silu", Functions::silu, "torch.silu(%s)"),
    MISH("mish", Functions::mish, "torch.mish(%s)"),
    HARD_SWISH("hardSwish", Functions::hardSwish, "torch.hardswish(%s)"),
    HARD_SIGMOID("hardSigmoid", Functions::hardSigmoid, "torch.hardsigmoid(%s)"),
    HARD_TANH("hardTanh", Functions::hardTanh, "torch.clamp(%s, -1.0, 1.0)"),
    SOFTPLUS("softplus", Functions::softplus, "torch.softplus(%s)"),
    SOFTSIGN("softsign", x -> x.div(x.abs().add(1)), "%s / (1.0 + torch.abs(%s))"),
    SIGMOID("sigmoid", Functions::sigmoid, "torch.sigmoid(%s)"),
    TANH("tanh", Functions::tanh, "torch.tanh(%s)"),
    SOFTMAX("softmax", x -> Functions.softmax(x, -1), "torch.softmax(%s, -1)"),
    LOG_SOFTMAX("logSoftmax", x -> Functions.logSoftmax(x, -1), "torch.log_softmax(%s, -1)");

    private final String label;
    private final UnaryOperator<Tensor> function;
    private final String script;

    Activation(String label, UnaryOperator<Tensor> function, String script) {
        this.label = label;
        this.function = function;
        this.script = script;
    }

    public Tensor apply(Tensor x) {
        return function.apply(x);
    }

    /** The same, but may overwrite its input: one pass over the memory less where a function allows it. */
    Tensor applyOver(Tensor x) {
        return this == RELU ? Functions.relu_(x) : apply(x);
    }

    /** True when a greater input never gives a smaller output, so that the greatest stays the greatest. */
    boolean neverFalls() {
        return switch (this) {
            case RELU, RELU6, LEAKY_RELU, ELU, SELU, HARD_SIGMOID, HARD_TANH, SOFTPLUS, SOFTSIGN, SIGMOID, TANH -> true;
            case NONE, GELU, GELU_TANH, SILU, MISH, HARD_SWISH, SOFTMAX, LOG_SOFTMAX -> false;
        };
    }

    /** Whether it may be computed in bfloat16: what sums or takes logarithms may not. */
    boolean isSafeInShortTypes() {
        return switch (this) {
            case NONE,
                    RELU,
                    RELU6,
                    LEAKY_RELU,
                    ELU,
                    SELU,
                    GELU,
                    GELU_TANH,
                    SILU,
                    HARD_SWISH,
                    HARD_SIGMOID,
                    HARD_TANH,
                    SIGMOID,
                    TANH -> true;
            case MISH, SOFTPLUS, SOFTSIGN, SOFTMAX, LOG_SOFTMAX -> false;
        };
    }

    /** The same function in TorchScript, applied to a variable. */
    String script(String variable) {
        return script.replace("%s", variable);
    }

    @JsonCreator
    static Activation named(String name) {
        return Arrays.stream(values())
                .filter(activation -> activation.label.equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("unknown activation '" + name + "'"
                        + dev.tutti.DidYouMean.hint(
                                name,
                                Arrays.stream(values())
                                        .map(Activation::toString)
                                        .toList())));
    }

    @JsonValue
    @Override
    public String toString() {
        return label;
    }
}
