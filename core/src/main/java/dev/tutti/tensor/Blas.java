package dev.tutti.tensor;

import com.sun.jna.Function;
import com.sun.jna.Library;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Platform;
import dev.tutti.host.Processor;
import java.io.File;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.bytedeco.javacpp.Loader;
import org.bytedeco.openblas.global.openblas_nolapack;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The library behind matrix products: OpenBLAS, or Intel's MKL, which is a tenth faster on Intel's processors.
 *
 * <p>libtorch is linked to OpenBLAS. A library that offers the same functions to the whole process before libtorch is loaded
 * goes first; so MKL is opened that way on Intel's processors, where it is on the class path (the Maven profile {@code mkl}, which
 * Linux has by default), and wherever the environment variable {@code TUTTI_BLAS} names its file. {@code TUTTI_BLAS=openblas}
 * leaves it alone.
 */
final class Blas {
    private static final Logger log = LoggerFactory.getLogger(Blas.class);

    private static final String RESOURCES = "/org/bytedeco/mkl/linux-x86_64";
    private static final String LIBRARY = "libmkl_rt.so.2";

    /** What products need beside it on processors with AVX2; the rest of MKL is not unpacked. */
    private static final List<String> PARTS = List.of(
            "libmkl_core.so.2",
            "libmkl_intel_lp64.so.2",
            "libmkl_gnu_thread.so.2",
            "libmkl_def.so.2",
            "libmkl_avx2.so.2",
            "libmkl_avx512.so.2");

    private static final int RTLD_LAZY = 1;
    private static final int RTLD_GLOBAL = 0x100;

    private final Function setThreads; // of MKL, for the calling thread
    private volatile int threads;

    private Blas(Function setThreads) {
        this.setThreads = setThreads;
    }

    /** Chooses before libtorch is loaded: afterwards it is too late. */
    static Blas choose() {
        String wish = System.getenv("TUTTI_BLAS");
        if ("openblas".equals(wish) || !Platform.isLinux() || !Platform.isIntel() || !Platform.is64Bit()) {
            return new Blas(null);
        }
        try {
            File file = wish != null && wish.contains("/") ? new File(wish) : unpacked(wish != null);
            return file == null ? new Blas(null) : mkl(file);
        } catch (IOException | LinkageError | RuntimeException e) {
            log.warn("MKL cannot be used, OpenBLAS is: {}", e.toString());
            return new Blas(null);
        }
    }

    /** MKL from the class path, or null; without a wish only for Intel's processors with AVX2, for which it is made. */
    private static File unpacked(boolean wished) throws IOException {
        if (Blas.class.getResource(RESOURCES + "/" + LIBRARY) == null) {
            if (wished) {
                log.warn(
                        "TUTTI_BLAS asks for MKL, which is not on the class path: build with the Maven profile mkl, "
                                + "or name the file of an installed {}",
                        LIBRARY);
            }
            return null;
        }
        if (!wished && !(Processor.isIntels() && Processor.hasAvx2())) {
            return null;
        }
        for (String part : PARTS) {
            Loader.cacheResource(Blas.class, RESOURCES + "/" + part);
        }
        return Loader.cacheResource(Blas.class, RESOURCES + "/" + LIBRARY);
    }

    private static Blas mkl(File file) {
        NativeLibrary library =
                NativeLibrary.getInstance(file.getPath(), Map.of(Library.OPTION_OPEN_FLAGS, RTLD_LAZY | RTLD_GLOBAL));
        log.debug("matrix products by {}", file);
        return new Blas(library.getFunction("MKL_Set_Num_Threads_Local"));
    }

    String name() {
        return setThreads == null ? "openblas" : "mkl";
    }

    /** How many cores products that this thread starts may use. */
    void useThreads(int count) {
        if (setThreads != null) {
            setThreads.invokeInt(new Object[] {count});
        } else {
            useThreadsAgain(count);
        }
    }

    /** The same for a thread that said so before: OpenBLAS has one pool for the process, and others may have spoken since. */
    void useThreadsAgain(int count) {
        if (setThreads == null && threads != count) {
            useForAll(count);
        }
    }

    private synchronized void useForAll(int count) {
        if (threads != count) {
            openblas_nolapack.blas_set_num_threads(count);
            threads = count;
        }
    }
}
