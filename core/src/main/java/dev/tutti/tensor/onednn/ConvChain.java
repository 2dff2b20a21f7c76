package dev.tutti.tensor.onednn;

import dev.tutti.array.DType;
import dev.tutti.array.Shape;
import dev.tutti.tensor.Device;
import dev.tutti.tensor.Engine;
import dev.tutti.tensor.Functions.Window;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.vector.FlatVector;
import dev.tutti.tensor.vector.LargeGradient;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Convolutions, max pools and rectifiers, one behind the other, over {@code [rows, channels, height, width]}.
 *
 * <p>They are made ready for a shape when it first comes, and kept: the engine would make every convolution ready anew, which is a
 * thousand allocations in a step, and workers on threads stand in each other's way at those. {@link FlatVector#cutStretch} uses it.
 * Belongs to one thread at a time.
 */
public final class ConvChain implements AutoCloseable {
    /** Four numbers of rows, for instance of whole batches and of the last one, before and after shares have changed. */
    private static final int KEPT = 4;

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

    private record Key(Shape input, int threads) {}

    private final List<Layer> layers;
    private final Map<Key, BlockedConvChain> ready = new LinkedHashMap<>(KEPT, 0.75f, true);

    public ConvChain(List<Layer> layers) {
        this.layers = List.copyOf(layers);
    }

    /** The stretch for an input; null where it cannot be computed this way, or not all of its parameters are learned. */
    public BlockedConvChain ready(Tensor x) {
        if (!OneDnn.isUsable() || !suits(x) || x.rank() != 4 || !layers.stream().allMatch(ConvChain::learns)) {
            return null;
        }
        Key key = new Key(x.shape(), Engine.threads());
        BlockedConvChain stretch = ready.get(key);
        if (stretch == null && fits(key.input)) {
            stretch = new BlockedConvChain(layers, key.input);
            ready.put(key, stretch);
        }
        if (ready.size() > KEPT) {
            var oldest = ready.entrySet().iterator();
            oldest.next().getValue().close();
            oldest.remove();
        }
        return stretch;
    }

    /** oneDNN sees addresses alone. */
    private static boolean suits(Tensor tensor) {
        return tensor.type() == DType.FLOAT32 && tensor.device().equals(Device.CPU);
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
        ready.values().forEach(BlockedConvChain::close);
        ready.clear();
    }
}
