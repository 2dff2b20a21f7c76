package dev.tutti.tensor;

import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Platform;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads in which the JVM's optimizing compiler works on code that is already running.
 *
 * <p>A training has a compute thread on every core, and members wait for each other: whatever time the compiler takes from one of
 * them all of them lose, in the first minute a twentieth. So it works while nobody computes, and takes a little longer.
 */
public final class CompilerThreads {
    /** How far they stand back, from 0 (not at all) to 19 (for what nobody else wants), unless the variable says it. */
    private static final int NICE = 19;

    static final String NICE_VARIABLE = "TUTTI_COMPILER_NICE";
    private static final Path THREADS = Path.of("/proc/self/task");
    private static final String NAME = "C2 CompilerThre"; // as long as names of threads are on Linux
    private static final int PRIO_PROCESS = 0;
    private static final AtomicBoolean done = new AtomicBoolean();
    private static final Logger log = LoggerFactory.getLogger(CompilerThreads.class);

    private CompilerThreads() {}

    /** Lets them stand back behind all others from now on; on Linux, once. Those that come later follow those they come from. */
    public static void giveWay() {
        if (Platform.isLinux() && done.compareAndSet(false, true)) {
            try {
                int nice = nice(System.getenv(NICE_VARIABLE));
                if (nice > 0) {
                    lower(nice);
                }
            } catch (IOException | LinkageError | RuntimeException e) {
                log.debug("the compiler's threads keep their priority", e);
            }
        }
    }

    private static void lower(int nice) throws IOException {
        Function setpriority = NativeLibrary.getInstance("c").getFunction("setpriority");
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(THREADS)) {
            for (Path thread : threads) {
                if (Files.readString(thread.resolve("comm")).strip().equals(NAME)) {
                    int id = Integer.parseInt(thread.getFileName().toString());
                    setpriority.invokeInt(new Object[] {PRIO_PROCESS, id, nice});
                }
            }
        }
    }

    /** What the variable says; what is no such number is said and passed over. */
    static int nice(String said) {
        if (said == null || said.isBlank()) {
            return NICE;
        }
        if (!said.strip().matches("1?[0-9]")) {
            log.warn("{} is '{}': expected a number from 0 to 19, taken as {}", NICE_VARIABLE, said, NICE);
            return NICE;
        }
        return Integer.parseInt(said.strip());
    }
}
