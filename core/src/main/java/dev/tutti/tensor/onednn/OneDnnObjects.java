package dev.tutti.tensor.onednn;

import static dev.tutti.tensor.onednn.OneDnn.check;

import dev.tutti.array.DType;
import dev.tutti.tensor.onednn.OneDnn.Functions;
import java.util.ArrayDeque;
import java.util.Deque;

/** What was made with oneDNN's functions for one purpose; closing lets go of it, the last thing first. */
final class OneDnnObjects implements AutoCloseable {
    private static final int ANY = 1;
    private static final int OWN_SCRATCHPAD = 1;

    private final Deque<Runnable> held = new ArrayDeque<>();

    /** A function that fills in a pointer and answers with a status. */
    interface Maker {
        int make(long[] out);
    }

    interface Destroyer {
        int destroy(long made);
    }

    long hold(String what, Maker maker, Destroyer destroyer) {
        long[] out = new long[1];
        check(what, maker.make(out));
        long made = out[0];
        held.push(() -> check(what, destroyer.destroy(made)));
        return made;
    }

    long layout(DType type, long[] lengths, long[] strides) {
        return hold(
                "layout",
                out -> Functions.dnnl_memory_desc_create_with_strides(
                        out, lengths.length, lengths, number(type), strides),
                Functions::dnnl_memory_desc_destroy);
    }

    /** A layout that the operation which is asked for chooses itself. */
    long anyLayout(DType type, long... lengths) {
        return hold(
                "layout",
                out -> Functions.dnnl_memory_desc_create_with_tag(out, lengths.length, lengths, number(type), ANY),
                Functions::dnnl_memory_desc_destroy);
    }

    /** oneDNN's number for a type. */
    private static int number(DType type) {
        return switch (type) {
            case FLOAT16 -> 1;
            case BFLOAT16 -> 2;
            case FLOAT32 -> 3;
            case FLOAT64, INT64, INT32, UINT8, BOOL ->
                throw new IllegalArgumentException(
                        "oneDNN's operations are made for float32, bfloat16 and float16, received " + type);
        };
    }

    /** @param addToResult whether what comes out is added to what was there before */
    long attributes(boolean addToResult) {
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

    long description(String what, Maker maker) {
        return hold(what, maker, Functions::dnnl_primitive_desc_destroy);
    }

    boolean isClosed() {
        return held.isEmpty();
    }

    /** Closing twice does nothing. */
    @Override
    public void close() {
        while (!held.isEmpty()) {
            held.pop().run();
        }
    }
}
