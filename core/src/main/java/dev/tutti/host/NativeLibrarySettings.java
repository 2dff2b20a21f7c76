package dev.tutti.host;

import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Platform;
import java.util.List;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Settings of the engine's own libraries that must be in place before libtorch is loaded: the memory limit of JavaCPP, and the thread
 * pools of OpenMP, OpenBLAS and MKL, which otherwise spin against each other. Variables that the user has set in the environment win.
 * What concerns the whole process is a matter of {@link HostTuning}.
 */
public final class NativeLibrarySettings {
    private static final Logger log = LoggerFactory.getLogger(NativeLibrarySettings.class);

    private static final Pattern MAY_USE_TILES = Pattern.compile("AMX|AVX10|ALL|DEFAULT", Pattern.CASE_INSENSITIVE);
    private static final int REPLACE = 1;

    private NativeLibrarySettings() {}

    public static void apply() {
        // JavaCPP refuses to allocate once the process is four times as large as the Java heap; tensors are larger than
        // that.
        defaultProperty("org.bytedeco.javacpp.maxPhysicalBytes", "0");
        defaultProperty("org.bytedeco.javacpp.maxBytes", "0");
        if (!Platform.isLinux()) {
            return;
        }
        if (System.getenv("MALLOC_TRIM_THRESHOLD_") == null && System.getenv("MALLOC_MMAP_THRESHOLD_") == null) {
            HostTuning.permits(HostTuning.Change.ALLOCATOR); // for its line in the log
        }
        try {
            NativeLibrary c = NativeLibrary.getInstance("c");
            Function setenv = c.getFunction("setenv");
            defaultEnvironment(setenv, "GOMP_SPINCOUNT", "2000");
            defaultEnvironment(setenv, "OPENBLAS_THREAD_TIMEOUT", "4");
            if (Processor.halvesLongVectors()) {
                // OpenBLAS would take those for Intel's processors with AVX-512, which are 5% slower here.
                defaultEnvironment(setenv, "OPENBLAS_CORETYPE", "HASWELL");
            }
            if (Processor.hasUnusableTiles()) {
                withoutTiles(setenv);
            }
            // The pool that libtorch has anyway; with another one beside it MKL takes the JVM down.
            defaultEnvironment(setenv, "MKL_THREADING_LAYER", "GNU");
        } catch (LinkageError | RuntimeException e) {
            log.debug("thread settings were not applied; training works, only slower", e);
        }
    }

    /** Keeps oneDNN from products by tiles, which would end the JVM here, against any setting of the user. */
    private static void withoutTiles(Function setenv) {
        String most = Processor.hasFloat16() ? "AVX512_CORE_FP16" : "AVX512_CORE_BF16";
        for (String name : List.of("ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA")) {
            String wish = System.getenv(name);
            if (wish == null || MAY_USE_TILES.matcher(wish).find()) {
                setenv.invokeInt(new Object[] {name, most, REPLACE});
            }
        }
        log.debug("the processor's tiles (AMX) cannot be used: this machine does not say how large they are");
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
