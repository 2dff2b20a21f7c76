package dev.tutti.tensor.quantized;

import dev.tutti.tensor.Functions.Window;
import dev.tutti.tensor.NativeConversions;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import org.bytedeco.pytorch.IValue;
import org.bytedeco.pytorch.OperatorHandle;
import org.bytedeco.pytorch.global.torch;

/** A convolution in eight-bit integers; what comes in and what goes out is rounded by the ranges that calibration has seen. */
public final class Int8Convolution implements AutoCloseable {
    private static final int STEPS = 255;
    private static final int INPUT_STEPS = QuantizedOperators.SEVEN_BITS ? 127 : STEPS;
    private static final OperatorHandle PACK_1D = QuantizedOperators.find("quantized::conv1d_prepack", "");
    private static final OperatorHandle PACK_2D = QuantizedOperators.find("quantized::conv2d_prepack", "");
    private static final OperatorHandle CONVOLVE_1D = QuantizedOperators.find("quantized::conv1d", "");
    private static final OperatorHandle CONVOLVE_2D = QuantizedOperators.find("quantized::conv2d", "new");

    private final IValue packed;
    private final OperatorHandle convolve;
    private final ActivationRange input;
    private final ActivationRange output;

    /**
     * @param bias may be null
     * @param output of what goes out; values outside of it are cut off
     */
    public Int8Convolution(
            Tensor weight, Tensor bias, Window window, long groups, ActivationRange input, ActivationRange output) {
        this.input = input;
        this.output = output;
        boolean plane = window.stride().length == 2;
        convolve = plane ? CONVOLVE_2D : CONVOLVE_1D;
        try (Scope scope = Scope.open()) {
            packed = QuantizedOperators.call(
                            plane ? PACK_2D : PACK_1D,
                            QuantizedOperators.rounded(weight),
                            QuantizedOperators.optional(bias),
                            QuantizedOperators.integers(window.stride()),
                            QuantizedOperators.integers(window.padding()),
                            QuantizedOperators.integers(window.dilation()),
                            new IValue(groups))
                    .get(0);
            packed.retainReference();
        }
    }

    public Tensor of(Tensor x) {
        IValue rounded = NativeConversions.call(
                "int8",
                () -> new IValue(torch.quantize_per_tensor(
                        x.handle(), input.scale(INPUT_STEPS), input.zero(INPUT_STEPS), torch.ScalarType.QUInt8)));
        IValue result = QuantizedOperators.call(
                        convolve, rounded, packed, new IValue(output.scale(STEPS)), new IValue(output.zero(STEPS)))
                .get(0);
        return NativeConversions.call("int8", () -> new Tensor(result.toTensor().dequantize()));
    }

    @Override
    public void close() {
        packed.releaseReference();
    }
}
