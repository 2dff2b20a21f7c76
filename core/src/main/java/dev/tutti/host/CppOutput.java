package dev.tutti.host;

import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Platform;
import com.sun.jna.Pointer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the engine from writing to standard output, which belongs to the user's program.
 *
 * <p>Gloo reports each connection with a line on {@code std::cout} and has no setting against it. For as long as it connects
 * that stream has no buffer, which in C++ means that what is written to it is dropped. File descriptors stay as they are, so nothing
 * of Java's own output is lost, even if other threads print meanwhile. Only where {@link HostTuning} permits it.
 */
public final class CppOutput {
    private static final Logger log = LoggerFactory.getLogger(CppOutput.class);

    /** Where the place of a class's virtual base is written, before its table of functions, in the C++ ABI of Linux. */
    private static final int VIRTUAL_BASE = -24;

    private static int callers;
    private static Pointer buffer;

    private CppOutput() {}

    /** Does something during which C++ writes nothing; several threads may be at it at a time. */
    public static <T> T silenced(Supplier<T> work) {
        if (!HostTuning.permits(HostTuning.Change.CPP_OUTPUT)) {
            return work.get();
        }
        enter();
        try {
            return work.get();
        } finally {
            leave();
        }
    }

    private static synchronized void enter() {
        callers++;
        if (callers == 1) {
            buffer = exchange(Pointer.NULL);
        }
    }

    private static synchronized void leave() {
        callers--;
        if (callers == 0 && buffer != null) {
            exchange(buffer);
            buffer = null;
        }
    }

    /** Gives {@code std::cout} another buffer; returns the one it had, or null where that cannot be done. */
    private static Pointer exchange(Pointer next) {
        if (!Platform.isLinux()) {
            return null;
        }
        try {
            NativeLibrary library = NativeLibrary.getInstance("libstdc++.so.6");
            Pointer cout = library.getGlobalVariableAddress("_ZSt4cout");
            Pointer ios = cout.share(cout.getPointer(0).getLong(VIRTUAL_BASE));
            Function rdbuf =
                    library.getFunction("_ZNSt9basic_iosIcSt11char_traitsIcEE5rdbufEPSt15basic_streambufIcS1_E");
            return rdbuf.invokePointer(new Object[] {ios, next});
        } catch (LinkageError | RuntimeException e) {
            log.debug("the engine may write a line to standard output", e);
            return null;
        }
    }
}
