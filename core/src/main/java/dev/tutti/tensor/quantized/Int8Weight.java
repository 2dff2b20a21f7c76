package dev.tutti.tensor.quantized;

import dev.tutti.array.DType;
import dev.tutti.array.Shape;
import dev.tutti.tensor.NativeConversions;
import dev.tutti.tensor.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * A weight in a file: a byte for each element and a float32 for each row along the first axis. The element is
 * {@code (byte - 128) * scale}, the byte of 0 is 128.
 *
 * @param bytes of the weight's shape
 * @param scales one for each row
 */
public record Int8Weight(Tensor bytes, Tensor scales) {
    private static final double MIDDLE = 128;

    /** Rounds a weight; what it becomes belongs to the open scope. */
    public static Int8Weight of(Tensor weight) {
        Tensor scales = QuantizedOperators.scales(weight);
        Tensor steps = weight.contiguous().div(perRow(scales, weight.shape()));
        Tensor whole = NativeConversions.call("round", () -> new Tensor(torch.round(steps.handle())));
        return new Int8Weight(whole.add(MIDDLE).clamp(1, 255).to(DType.UINT8), scales);
    }

    /** The weight as float32; rounding it again gives the same bytes. */
    public Tensor values() {
        return bytes.to(DType.FLOAT32).add(-MIDDLE).mul(perRow(scales, bytes.shape()));
    }

    private static Tensor perRow(Tensor scales, Shape shape) {
        long[] axes = new long[shape.rank()];
        java.util.Arrays.fill(axes, 1);
        axes[0] = scales.size();
        return scales.view(axes);
    }
}
