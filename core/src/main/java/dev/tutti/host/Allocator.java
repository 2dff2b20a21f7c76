package dev.tutti.host;

import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The allocator of the C library on Linux.
 *
 * <p>glibc gives the memory of every large tensor back to the kernel and faults it in again at the next step, which costs more than
 * half of the speed on some machines.
 */
final class Allocator {
    private static final Logger log = LoggerFactory.getLogger(Allocator.class);

    private static final int M_TRIM_THRESHOLD = -1;
    private static final int M_TOP_PAD = -2;
    private static final int M_MMAP_MAX = -4;

    private static final int NEVER = -1;
    private static final int TOP_PAD_BYTES = 256 << 20;

    /** The defaults of glibc, which has no call to read the present values. */
    private static final int DEFAULT_BYTES = 128 << 10;

    private static final int DEFAULT_MMAP_MAX = 65_536;

    private Allocator() {}

    /** Keeps what is freed for the next step, unless the environment says how the allocator is to be. */
    static void keepFreedMemory() {
        if (isSetByEnvironment()) {
            return;
        }
        try {
            set(0, NEVER, TOP_PAD_BYTES);
            HostTuning.changed(Allocator::restoreDefaults);
        } catch (LinkageError | RuntimeException e) {
            log.debug("allocator settings were not applied; training works, only slower", e);
        }
    }

    /** The tutti script sets these, and any user may. */
    static boolean isSetByEnvironment() {
        return System.getenv("MALLOC_TRIM_THRESHOLD_") != null || System.getenv("MALLOC_MMAP_THRESHOLD_") != null;
    }

    private static void restoreDefaults() {
        try {
            set(DEFAULT_MMAP_MAX, DEFAULT_BYTES, DEFAULT_BYTES);
            NativeLibrary.getInstance("c").getFunction("malloc_trim").invokeInt(new Object[] {0L});
        } catch (LinkageError | RuntimeException e) {
            log.debug("allocator settings stay as they are", e);
        }
    }

    private static void set(int mmapMax, int trimThreshold, int topPad) {
        Function mallopt = NativeLibrary.getInstance("c").getFunction("mallopt");
        mallopt.invokeInt(new Object[] {M_MMAP_MAX, mmapMax});
        mallopt.invokeInt(new Object[] {M_TRIM_THRESHOLD, trimThreshold});
        mallopt.invokeInt(new Object[] {M_TOP_PAD, topPad});
    }
}
