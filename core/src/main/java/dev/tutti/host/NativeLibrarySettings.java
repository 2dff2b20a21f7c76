package dev.tutti.host;

import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Platform;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Settings of the process that must be in place before libtorch is loaded.
 *
 * <p>glibc gives the memory of every large tensor back to the kernel and faults it in again at the next step; the thread pools
 * of OpenMP and OpenBLAS spin against each other. Both cost more than half of the speed on some machines. What the user set in
 * the environment wins.
 */
public final class NativeLibrarySettings {
    private static final Logger log = LoggerFactory.getLogger(NativeLibrarySettings.class);

    private static final int M_TRIM_THRESHOLD = -1;
    private static final int M_TOP_PAD = -2;
    private static final int M_MMAP_MAX = -4;

    private static final int NEVER = -1;
    private static final int TOP_PAD_BYTES = 256 << 20;

    private NativeLibrarySettings() {}

    public static void apply() {
        // JavaCPP refuses to allocate once the process is four times as large as the Java heap; tensors are larger than
        // that.
        defaultProperty("org.bytedeco.javacpp.maxPhysicalBytes", "0");
        defaultProperty("org.bytedeco.javacpp.maxBytes", "0");
        if (!Platform.isLinux()) {
            return;
        }
        try {
            NativeLibrary c = NativeLibrary.getInstance("c");
            keepFreedMemory(c.getFunction("mallopt"));
            Function setenv = c.getFunction("setenv");
            defaultEnvironment(setenv, "GOMP_SPINCOUNT", "2000");
            defaultEnvironment(setenv, "OPENBLAS_THREAD_TIMEOUT", "4");
            if (Processor.halvesLongVectors()) {
                // OpenBLAS would take those for Intel's processors with AVX-512, which are 5% slower here.
                defaultEnvironment(setenv, "OPENBLAS_CORETYPE", "HASWELL");
            }
            // The pool that libtorch has anyway; with another one beside it MKL takes the JVM down.
            defaultEnvironment(setenv, "MKL_THREADING_LAYER", "GNU");
        } catch (LinkageError | RuntimeException e) {
            log.debug("allocator and thread settings were not applied; training works, only slower", e);
        }
    }

    private static void keepFreedMemory(Function mallopt) {
        if (System.getenv("MALLOC_TRIM_THRESHOLD_") != null || System.getenv("MALLOC_MMAP_THRESHOLD_") != null) {
            return;
        }
        mallopt.invokeInt(new Object[] {M_MMAP_MAX, 0});
        mallopt.invokeInt(new Object[] {M_TRIM_THRESHOLD, NEVER});
        mallopt.invokeInt(new Object[] {M_TOP_PAD, TOP_PAD_BYTES});
    }

    private static void defaultEnvironment(Function setenv, String name, String value) {
        int keepExisting = 0;
        setenv.invokeInt(new Object[] {name, value, keepExisting});
    }

    private static void defaultProperty(String name, String value) {
        if (System.getProperty(name) == null) {
            System.setProperty(name, value);
        }
    }
}
