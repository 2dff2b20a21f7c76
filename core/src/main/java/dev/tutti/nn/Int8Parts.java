package dev.tutti.nn;

import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.quantized.Int8Convolution;
import dev.tutti.tensor.quantized.Int8Product;
import dev.tutti.tensor.quantized.Int8Recurrence;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/** The weights of one layer in eight bits, made ready when first used. */
final class Int8Parts implements AutoCloseable {
    private final LayerQuantization quantization;
    private final Map<String, AutoCloseable> ready = new HashMap<>();

    Int8Parts(LayerQuantization quantization) {
        this.quantization = quantization;
    }

    /** {@code x · weightᵀ + bias}. @param name tells the products of one layer apart */
    Tensor product(String name, Tensor x, Tensor weight, Tensor bias) {
        return ready(Int8Product.class, name, () -> new Int8Product(weight, bias))
                .of(x);
    }

    Int8Convolution convolution(Tensor weight, Tensor bias, Convolution<?> layer) {
        return ready(
                Int8Convolution.class,
                "convolution",
                () -> new Int8Convolution(
                        weight,
                        bias,
                        layer.window().window(),
                        layer.groups(),
                        quantization.input(),
                        quantization.output()));
    }

    Int8Recurrence recurrence(Supplier<Int8Recurrence> maker) {
        return ready(Int8Recurrence.class, "recurrence", maker);
    }

    private <T extends AutoCloseable> T ready(Class<T> type, String name, Supplier<T> maker) {
        return type.cast(ready.computeIfAbsent(name, n -> maker.get()));
    }

    @Override
    public void close() {
        for (AutoCloseable each : ready.values()) {
            try {
                each.close();
            } catch (Exception e) {
                throw new IllegalStateException("eight-bit weights could not be closed", e);
            }
        }
        ready.clear();
    }
}
