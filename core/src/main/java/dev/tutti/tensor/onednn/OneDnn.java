package dev.tutti.tensor.onednn;

import com.sun.jna.Library;
import com.sun.jna.NativeLibrary;
import dev.tutti.array.DType;
import dev.tutti.host.Processor;
import dev.tutti.tensor.Engine;
import dev.tutti.tensor.TensorException;
import java.io.File;
import java.io.IOException;
import java.util.Map;
import org.bytedeco.javacpp.Loader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * oneDNN's C functions: on processors with AVX-512 its products of matrices are a tenth faster than those of OpenBLAS and MKL.
 *
 * <p>libtorch has a oneDNN inside, but makes no products of float32 with it, makes every convolution ready anew and hides its
 * functions. So this is a library of its own, from the Maven profile {@code onednn}, which Linux has by default. A user who chooses with
 * {@code TUTTI_BLAS} gets what was chosen for all products, and this is left alone.
 */
public final class OneDnn {
    private static final Logger log = LoggerFactory.getLogger(OneDnn.class);

    private static final String RESOURCE = "/org/bytedeco/dnnl/linux-x86_64/libdnnl.so.3";

    private static final int RTLD_NOW = 2; // and not for the whole process: libtorch keeps to its own

    private static final int CPU = 1;

    /** A purpose of operations that a backward pass may follow. */
    static final int FOR_TRAINING = 64;

    private OneDnn() {}

    /** Whether products can be made with it here; found out, and the library loaded, when first asked. */
    public static boolean isUsable() {
        return Holder.ENGINE != 0;
    }

    /** Whether it makes products of a type here. Those of float16 need arithmetic of the processor that only some have. */
    public static boolean multiplies(DType type) {
        return switch (type) {
            case FLOAT32, BFLOAT16 -> isUsable();
            case FLOAT16 -> isUsable() && Processor.hasFloat16();
            default -> false;
        };
    }

    /** The one engine of this process: the processor. */
    static long engine() {
        return Holder.ENGINE;
    }

    private static final class Holder {
        private static final long ENGINE = open();

        private static long open() {
            if (System.getenv("TUTTI_BLAS") != null
                    || !Processor.hasAvx512()
                    || OneDnn.class.getResource(RESOURCE) == null) {
                return 0;
            }
            Engine.load(); // it brings the pool of threads that both use
            try {
                File file = Loader.cacheResource(OneDnn.class, RESOURCE);
                com.sun.jna.Native.register(
                        Functions.class,
                        NativeLibrary.getInstance(file.getPath(), Map.of(Library.OPTION_OPEN_FLAGS, RTLD_NOW)));
                long[] engine = new long[1];
                check("engine", Functions.dnnl_engine_create(engine, CPU, 0));
                return engine[0];
            } catch (IOException | LinkageError | RuntimeException e) {
                log.warn("oneDNN cannot be used, products are made without it: {}", e.toString());
                return 0;
            }
        }
    }

    /** @throws TensorException if a function did not answer that all went well */
    static void check(String what, int status) {
        if (status != 0) {
            throw new TensorException("oneDNN: " + what + " failed with status " + status
                    + (status == 1 ? ", out of memory" : "") + ". TUTTI_BLAS=openblas does without oneDNN");
        }
    }

    /** The functions by their own names; pointers are numbers, those to be filled are arrays of one. */
    static final class Functions {
        private Functions() {}

        static native int dnnl_engine_create(long[] engine, int kind, long index);

        static native int dnnl_stream_create(long[] stream, long engine, int flags);

        static native int dnnl_stream_destroy(long stream);

        static native int dnnl_memory_desc_create_with_strides(
                long[] description, int axes, long[] lengths, int type, long[] strides);

        static native int dnnl_memory_desc_create_with_tag(
                long[] description, int axes, long[] lengths, int type, int tag);

        static native int dnnl_memory_desc_equal(long one, long other);

        static native long dnnl_memory_desc_get_size(long description);

        static native int dnnl_memory_desc_destroy(long description);

        static native int dnnl_memory_create(long[] memory, long description, long engine, long handle);

        static native int dnnl_memory_set_data_handle(long memory, long handle);

        static native int dnnl_memory_destroy(long memory);

        static native int dnnl_primitive_attr_create(long[] attributes);

        static native int dnnl_primitive_attr_set_scratchpad_mode(long attributes, int mode);

        static native int dnnl_primitive_attr_set_post_ops(long attributes, long operations);

        static native int dnnl_primitive_attr_destroy(long attributes);

        static native int dnnl_post_ops_create(long[] operations);

        static native int dnnl_post_ops_append_sum(long operations, float scale, int zeroPoint, int type);

        static native int dnnl_post_ops_destroy(long operations);

        static native int dnnl_matmul_primitive_desc_create(
                long[] description, long engine, long left, long right, long bias, long result, long attributes);

        static native int dnnl_reorder_primitive_desc_create(
                long[] description, long from, long fromEngine, long to, long toEngine, long attributes);

        static native int dnnl_convolution_forward_primitive_desc_create(
                long[] description,
                long engine,
                int purpose,
                int algorithm,
                long source,
                long weight,
                long bias,
                long result,
                long[] strides,
                long[] gaps,
                long[] paddingBefore,
                long[] paddingBehind,
                long attributes);

        static native int dnnl_convolution_backward_data_primitive_desc_create(
                long[] description,
                long engine,
                int algorithm,
                long sourceGradient,
                long weight,
                long resultGradient,
                long[] strides,
                long[] gaps,
                long[] paddingBefore,
                long[] paddingBehind,
                long forward,
                long attributes);

        static native int dnnl_convolution_backward_weights_primitive_desc_create(
                long[] description,
                long engine,
                int algorithm,
                long source,
                long weightGradient,
                long biasGradient,
                long resultGradient,
                long[] strides,
                long[] gaps,
                long[] paddingBefore,
                long[] paddingBehind,
                long forward,
                long attributes);

        static native int dnnl_pooling_forward_primitive_desc_create(
                long[] description,
                long engine,
                int purpose,
                int algorithm,
                long source,
                long result,
                long[] strides,
                long[] size,
                long[] gaps,
                long[] paddingBefore,
                long[] paddingBehind,
                long attributes);

        static native int dnnl_pooling_backward_primitive_desc_create(
                long[] description,
                long engine,
                int algorithm,
                long sourceGradient,
                long resultGradient,
                long[] strides,
                long[] size,
                long[] gaps,
                long[] paddingBefore,
                long[] paddingBehind,
                long forward,
                long attributes);

        static native long dnnl_primitive_desc_query_md(long description, int what, int index);

        static native int dnnl_primitive_desc_destroy(long description);

        static native int dnnl_primitive_create(long[] primitive, long description);

        static native int dnnl_primitive_execute(long primitive, long stream, int count, long arguments);

        static native int dnnl_primitive_destroy(long primitive);
    }
}
