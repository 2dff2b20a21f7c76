package dev.tutti.tensor.quantized;

import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import org.bytedeco.pytorch.IValue;
import org.bytedeco.pytorch.OperatorHandle;

/** {@code x · weightᵀ + bias} in eight-bit integers; what comes in is rounded by the range it has in each call. */
public final class Int8Product implements AutoCloseable {
    private static final OperatorHandle PACK = QuantizedOperators.find("quantized::linear_prepack", "");
    private static final OperatorHandle MULTIPLY = QuantizedOperators.find("quantized::linear_dynamic", "");

    private final IValue packed;

    /** @param bias may be null */
    public Int8Product(Tensor weight, Tensor bias) {
        try (Scope scope = Scope.open()) {
            packed = QuantizedOperators.call(
                            PACK, QuantizedOperators.rounded(weight), QuantizedOperators.optional(bias))
                    .get(0);
            packed.retainReference();
        }
    }

    public Tensor of(Tensor x) {
        return QuantizedOperators.tensor(QuantizedOperators.call(
                        MULTIPLY, QuantizedOperators.input(x), packed, new IValue(QuantizedOperators.SEVEN_BITS))
                .get(0));
    }

    @Override
    public void close() {
        packed.releaseReference();
    }
}
