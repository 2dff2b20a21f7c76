package dev.tutti.tensor.onednn;

import static dev.tutti.tensor.onednn.OneDnnOperation.Argument.RESULT;
import static dev.tutti.tensor.onednn.OneDnnOperation.Argument.SOURCE;

import dev.tutti.array.DType;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.onednn.OneDnn.Functions;

/** Brings values from one of oneDNN's layouts, and from one type, into another; where the two are the same there is nothing to do. */
final class OneDnnRelayout {
    private final OneDnnOperation operation; // null where the layouts are the same
    private final long to;
    private final DType type;

    /** @param type of the values in the other layout */
    OneDnnRelayout(OneDnnObjects objects, long from, long to, DType type) {
        this(objects, from, to, type, Functions.dnnl_memory_desc_equal(from, to) == 0, false);
    }

    private OneDnnRelayout(OneDnnObjects objects, long from, long to, DType type, boolean differ, boolean add) {
        this.to = to;
        this.type = type;
        if (!differ) {
            operation = null;
            return;
        }
        long attributes = objects.attributes(add);
        long description = objects.description(
                "relayout",
                out -> Functions.dnnl_reorder_primitive_desc_create(
                        out, from, OneDnn.engine(), to, OneDnn.engine(), attributes));
        operation = new OneDnnOperation(objects, description, SOURCE, RESULT);
    }

    /** One of float32 that adds what it brings to what is there. */
    static OneDnnRelayout adding(OneDnnObjects objects, long from, long to) {
        return new OneDnnRelayout(objects, from, to, DType.FLOAT32, true, true);
    }

    /** One of float32 that copies, also where the layouts are the same. */
    static OneDnnRelayout copying(OneDnnObjects objects, long from, long to) {
        return new OneDnnRelayout(objects, from, to, DType.FLOAT32, true, false);
    }

    /** The values in the other layout: in new memory, or the same. */
    Tensor of(Tensor values) {
        if (operation == null) {
            return values;
        }
        Tensor result = OneDnnOperation.memory(to, type);
        run(values, result);
        return result;
    }

    /** Brings values to memory in the other layout. */
    void run(Tensor values, Tensor into) {
        operation.place(SOURCE, values).place(RESULT, into).run("relayout");
    }
}
