package dev.tutti.tensor.onednn;

import static dev.tutti.tensor.onednn.OneDnn.check;

import com.sun.jna.Memory;
import dev.tutti.array.DType;
import dev.tutti.array.Shape;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.onednn.OneDnn.Functions;
import java.util.EnumMap;
import java.util.Map;

/**
 * One of oneDNN's operations, made ready for one set of lengths and as many cores as the thread that made it ready may use, and done
 * again and again. It works on memory that is not its own, and belongs to one thread at a time.
 */
final class OneDnnOperation {
    private static final int STREAM_IN_ORDER = 1;
    private static final long ELSEWHERE = 0;
    private static final long ALLOCATED_BY_IT = -1;
    private static final long ARGUMENT_BYTES = 16;
    private static final long ARGUMENT_VALUE = 8;

    /** What operations work on, and the numbers oneDNN has for each. */
    enum Argument {
        SOURCE(1, 129, 0),
        WEIGHT(33, 131, 0),
        BIAS(41, 131, 1),
        RESULT(17, 133, 0),
        SOURCE_GRADIENT(129, 130, 0),
        WEIGHT_GRADIENT(161, 132, 0),
        BIAS_GRADIENT(169, 132, 1),
        RESULT_GRADIENT(145, 134, 0),
        WORKSPACE(64, 135, 0),
        SCRATCHPAD(80, 136, 0);

        private final int role;
        private final int query;
        private final int index;

        Argument(int role, int query, int index) {
            this.role = role;
            this.query = query;
            this.index = index;
        }
    }

    private final OneDnnObjects objects;
    private final long description;
    private final long primitive;
    private final long stream;
    private final Map<Argument, Long> memories = new EnumMap<>(Argument.class);
    private final Memory arguments;

    /**
     * Makes it ready.
     *
     * @param objects where all that is made for it is held
     * @param description oneDNN's description of it
     * @param given the arguments that will be {@linkplain #place placed}
     */
    OneDnnOperation(OneDnnObjects objects, long description, Argument... given) {
        this.objects = objects;
        this.description = description;
        primitive = objects.hold(
                "primitive",
                out -> Functions.dnnl_primitive_create(out, description),
                Functions::dnnl_primitive_destroy);
        stream = objects.hold(
                "stream",
                out -> Functions.dnnl_stream_create(out, OneDnn.engine(), STREAM_IN_ORDER),
                Functions::dnnl_stream_destroy);
        arguments = new Memory((given.length + 1) * ARGUMENT_BYTES);
        for (Argument argument : given) {
            add(argument, ELSEWHERE);
        }
        add(Argument.SCRATCHPAD, ALLOCATED_BY_IT);
    }

    private void add(Argument argument, long handle) {
        long memory = objects.hold(
                "memory",
                out -> Functions.dnnl_memory_create(out, layout(argument), OneDnn.engine(), handle),
                Functions::dnnl_memory_destroy);
        long at = memories.size() * ARGUMENT_BYTES;
        arguments.setInt(at, argument.role);
        arguments.setLong(at + ARGUMENT_VALUE, memory);
        memories.put(argument, memory);
    }

    /** The layout it wants an argument in. */
    long layout(Argument argument) {
        return Functions.dnnl_primitive_desc_query_md(description, argument.query, argument.index);
    }

    /** Memory for an argument, not written yet and without a shape. */
    Tensor memory(Argument argument, DType type) {
        return memory(layout(argument), type);
    }

    static Tensor memory(long layout, DType type) {
        long elements = (Functions.dnnl_memory_desc_get_size(layout) + type.bytes() - 1) / type.bytes();
        return Tensor.empty(Shape.of(elements), type);
    }

    /** Says where an argument is. */
    OneDnnOperation place(Argument argument, Tensor tensor) {
        if (objects.isClosed()) {
            throw new IllegalStateException("an operation was used after it was closed");
        }
        check(
                "memory",
                Functions.dnnl_memory_set_data_handle(
                        memories.get(argument), tensor.handle().data_ptr().address()));
        return this;
    }

    /** Does it, with all arguments in their places. */
    void run(String what) {
        check(
                what,
                Functions.dnnl_primitive_execute(
                        primitive, stream, memories.size(), com.sun.jna.Pointer.nativeValue(arguments)));
    }
}
