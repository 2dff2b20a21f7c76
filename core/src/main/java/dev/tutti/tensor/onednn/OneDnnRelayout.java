package dev.tutti.tensor.onednn;

import static dev.tutti.tensor.onednn.OneDnnOperation.Argument.RESULT;
import static dev.tutti.tensor.onednn.OneDnnOperation.Argument.SOURCE;

import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.onednn.OneDnn.Functions;

/** Brings values from one of oneDNN's layouts into another; where the two are the same there is nothing to do. */
final class OneDnnRelayout {
    private final OneDnnOperation operation; // null where the layouts are the same
    private final long to;

    OneDnnRelayout(OneDnnObjects objects, long from, long to) {
        this(objects, from, to, Functions.dnnl_memory_desc_equal(from, to) == 0, false);
    }

    private OneDnnRelayout(OneDnnObjects objects, long from, long to, boolean differ, boolean add) {
        this.to = to;
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

    /** One that adds what it brings to what is there. */
    static OneDnnRelayout adding(OneDnnObjects objects, long from, long to) {
        return new OneDnnRelayout(objects, from, to, true, true);
    }

    /** One that copies, also where the layouts are the same. */
    static OneDnnRelayout copying(OneDnnObjects objects, long from, long to) {
        return new OneDnnRelayout(objects, from, to, true, false);
    }

    /** The values in the other layout: in new memory, or the same. */
    Tensor of(Tensor values) {
        if (operation == null) {
            return values;
        }
        Tensor result = OneDnnOperation.memory(to);
        run(values, result);
        return result;
    }

    /** Brings values to memory in the other layout. */
    void run(Tensor values, Tensor into) {
        operation.place(SOURCE, values).place(RESULT, into).run("relayout");
    }
}
