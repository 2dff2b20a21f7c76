package dev.tutti.tensor.onednn;

import dev.tutti.array.DType;
import dev.tutti.array.Shape;
import dev.tutti.tensor.Device;
import dev.tutti.tensor.Engine;
import dev.tutti.tensor.EngineMatrixProducts;
import dev.tutti.tensor.MatrixProducts;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.onednn.OneDnnMatrixProduct.Also;
import dev.tutti.tensor.onednn.OneDnnMatrixProduct.Matrix;
import java.util.function.Supplier;

/** Products by oneDNN. They are made ready for so many rows when these first come, and kept for some numbers of rows. */
public final class OneDnnMatrixProducts implements MatrixProducts {
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
    private final DType type;
    private final long inputs;
    private final long outputs;
    private final MatrixProducts plain;
    private final PrimitiveCache<Key, OneDnnMatrixProduct> ready =
            new PrimitiveCache<>(PrimitiveCache.NUMBERS_OF_ROWS * Way.values().length, OneDnnMatrixProduct::close);

    /**
     * @param weight float32, bfloat16 or float16: the type of all values and of their gradients
     * @param gradient float32
     */
    public OneDnnMatrixProducts(Tensor weight, Tensor gradient) {
        this.type = weight.type();
        this.weight = weight;
        this.gradient = gradient;
        this.outputs = weight.dim(0);
        this.inputs = weight.dim(1);
        this.plain = new EngineMatrixProducts(weight, gradient);
    }

    @Override
    public Tensor forward(Tensor x, Tensor bias) {
        long rows = x.dim(0);
        if (!fits(x, inputs) || (bias != null && bias.type() != DType.FLOAT32)) {
            return plain.forward(x, bias);
        }
        Way way = bias == null ? Way.FORWARD : Way.FORWARD_WITH_BIAS;
        OneDnnMatrixProduct product = ready(
                way,
                rows,
                () -> new OneDnnMatrixProduct(
                        new Matrix(rows, inputs, false),
                        new Matrix(inputs, outputs, true),
                        bias == null ? Also.NOTHING : Also.ADD_BIAS,
                        type,
                        type));
        Tensor result = Tensor.empty(Shape.of(rows, outputs), type);
        product.run(x.contiguous(), weight, bias, result);
        return result;
    }

    @Override
    public Tensor toInput(Tensor above) {
        long rows = above.dim(0);
        if (!fits(above, outputs)) {
            return plain.toInput(above);
        }
        OneDnnMatrixProduct product = ready(
                Way.TO_INPUT,
                rows,
                () -> new OneDnnMatrixProduct(
                        new Matrix(rows, outputs, false),
                        new Matrix(outputs, inputs, false),
                        Also.NOTHING,
                        type,
                        type));
        Tensor result = Tensor.empty(Shape.of(rows, inputs), type);
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
        OneDnnMatrixProduct product = ready(
                add ? Way.ADD_TO_WEIGHT : Way.TO_WEIGHT,
                rows,
                () -> new OneDnnMatrixProduct(
                        new Matrix(outputs, rows, true),
                        new Matrix(rows, inputs, false),
                        add ? Also.ADD_TO_RESULT : Also.NOTHING,
                        type,
                        DType.FLOAT32));
        product.run(above.contiguous(), x.contiguous(), null, gradient);
    }

    /** oneDNN sees addresses alone: no rows, and what is a mistake, are the engine's, which says what is wrong. */
    private boolean fits(Tensor factor, long columns) {
        return factor.rank() == 2
                && factor.dim(0) > 0
                && factor.dim(1) == columns
                && factor.type() == type
                && factor.device().equals(Device.CPU);
    }

    private OneDnnMatrixProduct ready(Way way, long rows, Supplier<OneDnnMatrixProduct> maker) {
        return ready.get(new Key(way, rows, Engine.threads()), maker);
    }

    @Override
    public void close() {
        ready.close();
    }
}
