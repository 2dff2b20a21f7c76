package dev.tutti.tensor;

import dev.tutti.tensor.OneDnnProduct.Also;
import dev.tutti.tensor.OneDnnProduct.Matrix;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/** Products by oneDNN. They are made ready for so many rows when these first come, and kept for some numbers of rows. */
final class OneDnnProducts implements Products {
    /** Four numbers of rows, for instance of whole batches and of the last one, before and after shares have changed. */
    private static final int KEPT = 4 * Way.values().length;

    private enum Way {
        FORWARD,
        FORWARD_WITH_BIAS,
        TO_INPUT,
        TO_WEIGHT,
        ADD_TO_WEIGHT
    }

    private record Key(Way way, long rows, int threads) {}

    private final Tensor weight;
    private final Tensor gradient;
    private final long inputs;
    private final long outputs;
    private final Products plain;
    private final Map<Key, OneDnnProduct> ready = new LinkedHashMap<>(KEPT, 0.75f, true);

    OneDnnProducts(Tensor weight, Tensor gradient) {
        this.weight = weight;
        this.gradient = gradient;
        this.outputs = weight.dim(0);
        this.inputs = weight.dim(1);
        this.plain = new EngineProducts(weight, gradient);
    }

    @Override
    public Tensor forward(Tensor x, Tensor bias) {
        long rows = x.dim(0);
        if (!fits(x, inputs) || (bias != null && bias.type() != DType.FLOAT32)) {
            return plain.forward(x, bias);
        }
        Way way = bias == null ? Way.FORWARD : Way.FORWARD_WITH_BIAS;
        OneDnnProduct product = ready(
                way,
                rows,
                () -> new OneDnnProduct(
                        new Matrix(rows, inputs, false),
                        new Matrix(inputs, outputs, true),
                        bias == null ? Also.NOTHING : Also.ADD_BIAS));
        Tensor result = Tensor.empty(Shape.of(rows, outputs), DType.FLOAT32);
        product.run(x.contiguous(), weight, bias, result);
        return result;
    }

    @Override
    public Tensor toInput(Tensor above) {
        long rows = above.dim(0);
        if (!fits(above, outputs)) {
            return plain.toInput(above);
        }
        OneDnnProduct product = ready(
                Way.TO_INPUT,
                rows,
                () -> new OneDnnProduct(
                        new Matrix(rows, outputs, false), new Matrix(outputs, inputs, false), Also.NOTHING));
        Tensor result = Tensor.empty(Shape.of(rows, inputs), DType.FLOAT32);
        product.run(above.contiguous(), weight, null, result);
        return result;
    }

    @Override
    public void toWeight(Tensor above, Tensor x, boolean add) {
        long rows = above.dim(0);
        if (!fits(above, outputs) || !fits(x, inputs) || x.dim(0) != rows) {
            plain.toWeight(above, x, add);
            return;
        }
        OneDnnProduct product = ready(
                add ? Way.ADD_TO_WEIGHT : Way.TO_WEIGHT,
                rows,
                () -> new OneDnnProduct(
                        new Matrix(outputs, rows, true),
                        new Matrix(rows, inputs, false),
                        add ? Also.ADD_TO_RESULT : Also.NOTHING));
        product.run(above.contiguous(), x.contiguous(), null, gradient);
    }

    /** oneDNN sees addresses alone: no rows, and what is a mistake, are the engine's, which says what is wrong. */
    private static boolean fits(Tensor factor, long columns) {
        return factor.rank() == 2
                && factor.dim(0) > 0
                && factor.dim(1) == columns
                && factor.type() == DType.FLOAT32
                && factor.device().equals(Device.CPU);
    }

    private OneDnnProduct ready(Way way, long rows, Supplier<OneDnnProduct> maker) {
        OneDnnProduct product = ready.computeIfAbsent(new Key(way, rows, Engine.threads()), key -> maker.get());
        if (ready.size() > KEPT) {
            var oldest = ready.entrySet().iterator();
            oldest.next().getValue().close();
            oldest.remove();
        }
        return product;
    }

    @Override
    public void close() {
        ready.values().forEach(OneDnnProduct::close);
        ready.clear();
    }
}
