package dev.tutti.tensor.onednn;

import static dev.tutti.tensor.onednn.OneDnnOperation.Argument.BIAS;
import static dev.tutti.tensor.onednn.OneDnnOperation.Argument.RESULT;
import static dev.tutti.tensor.onednn.OneDnnOperation.Argument.SOURCE;
import static dev.tutti.tensor.onednn.OneDnnOperation.Argument.WEIGHT;

import dev.tutti.array.DType;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.onednn.OneDnn.Functions;

/** A product of two matrices, summed in float32, that is made again and again, as an {@link OneDnnOperation}. */
final class OneDnnMatrixProduct implements AutoCloseable {
    private final OneDnnObjects objects = new OneDnnObjects();
    private final OneDnnOperation operation;

    /**
     * A matrix as it stands in a product.
     *
     * @param transposed whether its columns, not its rows, lie in one piece
     */
    record Matrix(long rows, long columns, boolean transposed) {}

    /** What is done beside multiplying. */
    enum Also {
        NOTHING,
        /** A row is added to every row of the result. */
        ADD_BIAS,
        /** The product is added to what the result was before. */
        ADD_TO_RESULT
    }

    /**
     * Makes the product ready.
     *
     * @param factors the type of both matrices; a bias is float32
     * @param result the type of the result
     */
    OneDnnMatrixProduct(Matrix left, Matrix right, Also also, DType factors, DType result) {
        try {
            long leftLayout = layout(factors, left);
            long rightLayout = layout(factors, right);
            long resultLayout = layout(result, new Matrix(left.rows, right.columns, false));
            long biasLayout = also == Also.ADD_BIAS ? layout(DType.FLOAT32, new Matrix(1, right.columns, false)) : 0;
            long attributes = objects.attributes(also == Also.ADD_TO_RESULT);
            long description = objects.description(
                    "product",
                    out -> Functions.dnnl_matmul_primitive_desc_create(
                            out, OneDnn.engine(), leftLayout, rightLayout, biasLayout, resultLayout, attributes));
            operation = biasLayout == 0
                    ? new OneDnnOperation(objects, description, SOURCE, WEIGHT, RESULT)
                    : new OneDnnOperation(objects, description, SOURCE, WEIGHT, RESULT, BIAS);
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    private long layout(DType type, Matrix matrix) {
        return objects.layout(
                type,
                new long[] {matrix.rows, matrix.columns},
                matrix.transposed ? new long[] {1, matrix.rows} : new long[] {matrix.columns, 1});
    }

    /**
     * Multiplies.
     *
     * @param bias null where it was made ready without one
     */
    void run(Tensor left, Tensor right, Tensor bias, Tensor into) {
        operation.place(SOURCE, left).place(WEIGHT, right).place(RESULT, into);
        if (bias != null) {
            operation.place(BIAS, bias);
        }
        operation.run("product");
    }

    /** Closing twice does nothing. */
    @Override
    public void close() {
        objects.close();
    }
}
