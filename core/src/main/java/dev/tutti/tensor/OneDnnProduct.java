package dev.tutti.tensor;

import static dev.tutti.tensor.OneDnn.check;

import com.sun.jna.Memory;
import dev.tutti.tensor.OneDnn.Functions;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A product of two float32 matrices that is made again and again, for one set of lengths and as many cores as the thread that made
 * it ready may use. It works on memory that is not its own, and belongs to one thread at a time.
 */
final class OneDnnProduct implements AutoCloseable {
    private static final int FLOAT32 = 3;
    private static final int STREAM_IN_ORDER = 1;
    private static final int OWN_SCRATCHPAD = 1;
    private static final int QUERY_SCRATCHPAD = 136;
    private static final long ALLOCATED_BY_IT = -1;

    private static final int LEFT = 1;
    private static final int RIGHT = 33;
    private static final int BIAS = 41;
    private static final int RESULT = 17;
    private static final int SCRATCHPAD = 80;

    private static final long ARGUMENT_BYTES = 16;
    private static final long ARGUMENT_VALUE = 8;

    /** What has to be let go of, the last thing first. */
    private final Deque<Runnable> held = new ArrayDeque<>();

    private final long primitive;
    private final long stream;
    private final long left;
    private final long right;
    private final long bias;
    private final long result;
    private final Memory arguments;
    private final int count;

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

    /** Makes the product ready. */
    OneDnnProduct(Matrix leftShape, Matrix rightShape, Also also) {
        try {
            long leftKind = describe(leftShape);
            long rightKind = describe(rightShape);
            long resultKind = describe(new Matrix(leftShape.rows, rightShape.columns, false));
            long biasKind = also == Also.ADD_BIAS ? describe(new Matrix(1, rightShape.columns, false)) : 0;
            long attributes = attributes(also == Also.ADD_TO_RESULT);
            long description = hold(
                    "matmul",
                    out -> Functions.dnnl_matmul_primitive_desc_create(
                            out, OneDnn.engine(), leftKind, rightKind, biasKind, resultKind, attributes),
                    Functions::dnnl_primitive_desc_destroy);
            primitive = hold(
                    "primitive",
                    out -> Functions.dnnl_primitive_create(out, description),
                    Functions::dnnl_primitive_destroy);
            stream = hold(
                    "stream",
                    out -> Functions.dnnl_stream_create(out, OneDnn.engine(), STREAM_IN_ORDER),
                    Functions::dnnl_stream_destroy);
            left = memory(leftKind, 0);
            right = memory(rightKind, 0);
            bias = biasKind == 0 ? 0 : memory(biasKind, 0);
            result = memory(resultKind, 0);
            long scratchpad =
                    memory(Functions.dnnl_primitive_desc_query_md(description, QUERY_SCRATCHPAD, 0), ALLOCATED_BY_IT);
            count = bias == 0 ? 4 : 5;
            arguments = new Memory(count * ARGUMENT_BYTES);
            argument(0, LEFT, left);
            argument(1, RIGHT, right);
            argument(2, RESULT, result);
            argument(3, SCRATCHPAD, scratchpad);
            if (bias != 0) {
                argument(4, BIAS, bias);
            }
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    /** A function that fills in a pointer and answers with a status. */
    private interface Maker {
        int make(long[] out);
    }

    private interface Destroyer {
        int destroy(long made);
    }

    private long hold(String what, Maker maker, Destroyer destroyer) {
        long[] out = new long[1];
        check(what, maker.make(out));
        long made = out[0];
        held.push(() -> check(what, destroyer.destroy(made)));
        return made;
    }

    private long describe(Matrix matrix) {
        long[] lengths = {matrix.rows, matrix.columns};
        long[] strides = matrix.transposed ? new long[] {1, matrix.rows} : new long[] {matrix.columns, 1};
        return hold(
                "description",
                out -> Functions.dnnl_memory_desc_create_with_strides(out, 2, lengths, FLOAT32, strides),
                Functions::dnnl_memory_desc_destroy);
    }

    private long attributes(boolean addToResult) {
        long attributes =
                hold("attributes", Functions::dnnl_primitive_attr_create, Functions::dnnl_primitive_attr_destroy);
        check("scratchpad", Functions.dnnl_primitive_attr_set_scratchpad_mode(attributes, OWN_SCRATCHPAD));
        if (addToResult) {
            long after = hold("operations", Functions::dnnl_post_ops_create, Functions::dnnl_post_ops_destroy);
            check("sum", Functions.dnnl_post_ops_append_sum(after, 1, 0, 0));
            check("sum", Functions.dnnl_primitive_attr_set_post_ops(attributes, after));
        }
        return attributes;
    }

    private long memory(long kind, long handle) {
        return hold(
                "memory",
                out -> Functions.dnnl_memory_create(out, kind, OneDnn.engine(), handle),
                Functions::dnnl_memory_destroy);
    }

    private void argument(int number, int role, long memory) {
        arguments.setInt(number * ARGUMENT_BYTES, role);
        arguments.setLong(number * ARGUMENT_BYTES + ARGUMENT_VALUE, memory);
    }

    /**
     * Multiplies.
     *
     * @param addedBias null where it was made ready without one
     */
    void run(Tensor leftFactor, Tensor rightFactor, Tensor addedBias, Tensor into) {
        if (held.isEmpty()) {
            throw new IllegalStateException("a product was used after it was closed");
        }
        place(left, leftFactor);
        place(right, rightFactor);
        place(result, into);
        if (bias != 0) {
            place(bias, addedBias);
        }
        check(
                "product",
                Functions.dnnl_primitive_execute(primitive, stream, count, com.sun.jna.Pointer.nativeValue(arguments)));
    }

    private static void place(long memory, Tensor tensor) {
        check(
                "memory",
                Functions.dnnl_memory_set_data_handle(
                        memory, tensor.handle().data_ptr().address()));
    }

    /** Closing twice does nothing. */
    @Override
    public void close() {
        while (!held.isEmpty()) {
            held.pop().run();
        }
    }
}
