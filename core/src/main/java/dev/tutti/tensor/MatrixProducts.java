package dev.tutti.tensor;

import dev.tutti.array.DType;
import dev.tutti.tensor.onednn.OneDnn;
import dev.tutti.tensor.onednn.OneDnnMatrixProducts;

/**
 * The products that a dense layer makes with its weight: forward, and backward to its input and to the weight's gradient. Nothing is
 * recorded for differentiation.
 *
 * <p>Matrices lie in one piece, row by row. Belongs to one thread at a time.
 */
public interface MatrixProducts extends AutoCloseable {
    /**
     * The fastest for a weight.
     *
     * @param weight its type is that of all values; float16 and bfloat16 are summed in float32
     * @param gradient of the weight, or of the float32 parameter that the weight is a copy of
     */
    static MatrixProducts of(Tensor weight, Tensor gradient) {
        boolean plain = weight.rank() == 2
                && gradient.type() == DType.FLOAT32
                && weight.device().equals(Device.CPU)
                && weight.isContiguous();
        return plain && OneDnn.multiplies(weight.type())
                ? new OneDnnMatrixProducts(weight, gradient)
                : new EngineMatrixProducts(weight, gradient);
    }

    /**
     * {@code x · weightᵀ + bias}.
     *
     * @param bias may be null
     */
    Tensor forward(Tensor x, Tensor bias);

    /** {@code above · weight}: what the gradient of the result says of the input. */
    Tensor toInput(Tensor above);

    /**
     * {@code aboveᵀ · x}: what it says of the weight, written to where the weight's gradient is kept.
     *
     * @param add whether it is added to what is kept there
     */
    void toWeight(Tensor above, Tensor x, boolean add);

    @Override
    void close();
}
