package dev.tutti.tensor.onednn;

import dev.tutti.array.DType;
import dev.tutti.array.Shape;
import dev.tutti.tensor.Device;
import dev.tutti.tensor.Engine;
import dev.tutti.tensor.Functions.Window;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.vector.GradientTape;
import dev.tutti.tensor.vector.LargeGradient;
import java.util.Arrays;
import java.util.List;

/**
 * Convolutions, max pools and rectifiers, one behind the other, over {@code [rows, channels, height, width]}.
 *
 * <p>They are made ready for a shape when it first comes, and kept: the engine would make every convolution ready anew, which is a
 * thousand allocations in a step, and workers on threads stand in each other's way at those. {@link GradientTape#chain} uses it.
 * Belongs to one thread at a time.
 */
public final class ConvChain implements AutoCloseable {
    /** One layer. */
    public sealed interface Layer permits Convolution, MaxPool, Rectifier {}

    /**
     * A convolution.
     *
     * @param bias may be null
     */
    public record Convolution(Tensor weight, Tensor bias, Window window, long groups) implements Layer {}

    /** The greatest value of each window. */
    public record MaxPool(long[] size, Window window) implements Layer {}

    /** Sets negative values to zero. */
    public record Rectifier() implements Layer {}

    private record Key(Shape input, DType type, int threads) {}

    private final List<Layer> layers;
    private final DType type;
    private final PrimitiveCache<Key, BlockedConvChain> ready =
            new PrimitiveCache<>(PrimitiveCache.NUMBERS_OF_ROWS, BlockedConvChain::close);

    public ConvChain(List<Layer> layers) {
        this(layers, DType.FLOAT32);
    }

    /** @param type what values and weights are multiplied in; sums, parameters and their gradients are float32 */
    public ConvChain(List<Layer> layers, DType type) {
        this.layers = List.copyOf(layers);
        this.type = type;
    }

    /**
     * The chain for an input, held until it is released; null where it cannot be computed this way, or not all of its parameters
     * are learned.
     */
    public PrimitiveCache.Entry<BlockedConvChain> hold(Tensor x) {
        if (!OneDnn.isUsable()
                || !(suits(x, type) || suits(x))
                || x.rank() != 4
                || !layers.stream().allMatch(ConvChain::learns)) {
            return null;
        }
        Shape input = x.shape();
        return fits(input)
                ? ready.hold(
                        new Key(input, x.type(), Engine.threads()),
                        () -> new BlockedConvChain(layers, input, x.type(), type))
                : null;
    }

    /** oneDNN sees addresses alone. */
    private static boolean suits(Tensor tensor) {
        return suits(tensor, DType.FLOAT32);
    }

    private static boolean suits(Tensor tensor, DType type) {
        return tensor.type() == type && tensor.device().equals(Device.CPU);
    }

    private static boolean learns(Layer layer) {
        return !(layer instanceof Convolution convolution)
                || learns(convolution.weight)
                        && (convolution.bias == null
                                || learns(convolution.bias) && convolution.bias.size() < LargeGradient.LEAST);
    }

    private static boolean learns(Tensor parameter) {
        return parameter.handle().requires_grad() && suits(parameter);
    }

    /** No rows, and what is a mistake, are the engine's, which says what is wrong. */
    private boolean fits(Shape input) {
        long[] lengths = input.toArray();
        for (Layer layer : layers) {
            if (layer instanceof Convolution convolution) {
                if (lengths[1] != convolution.weight.dim(1) * convolution.groups) {
                    return false;
                }
                lengths = BlockedWindow.of(convolution).slide(lengths, convolution.weight.dim(0));
            } else if (layer instanceof MaxPool pool) {
                lengths = BlockedWindow.of(pool).slide(lengths, lengths[1]);
            }
            if (Arrays.stream(lengths).anyMatch(length -> length < 1)) {
                return false;
            }
        }
        return true;
    }

    /** Closing twice does nothing. */
    @Override
    public void close() {
        ready.close();
    }
}
