package dev.tutti.host;

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
 * <p>A training has a compute thread on every core, and workers wait for each other: the time that the compiler takes from one of them
 * is lost to all of them, a twentieth of the first minute. So it works while no thread computes, and takes longer.
 */
public final class CompilerThreads {
    static final String VARIABLE = "TUTTI_COMPILER";
    private static final Path THREADS = Path.of("/proc/self/task");
    private static final String NAME = "C2 CompilerThre"; // as long as names of threads are on Linux
    private static final AtomicBoolean done = new AtomicBoolean();
    private static final Logger log = LoggerFactory.getLogger(CompilerThreads.class);

    private CompilerThreads() {}

    /**
     * Lets them make room for all others until {@link HostTuning#undo}; on Linux, where {@link HostTuning} permits it. Threads that the
     * JVM starts later follow those that start them.
     */
    public static void giveWay() {
        if (Platform.isLinux()
                && HostTuning.permits(HostTuning.Change.COMPILER_THREADS)
                && done.compareAndSet(false, true)
                && givesWay(System.getenv(VARIABLE))) {
            setAll(LinuxThreads.Policy.IDLE);
            HostTuning.changed(CompilerThreads::restore);
        }
    }

    private static void restore() {
        setAll(LinuxThreads.Policy.NORMAL);
        done.set(false);
    }

    private static void setAll(LinuxThreads.Policy policy) {
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(THREADS)) {
            for (Path thread : threads) {
                if (Files.readString(thread.resolve("comm")).strip().equals(NAME)) {
                    int id = Integer.parseInt(thread.getFileName().toString());
                    if (!LinuxThreads.set(id, policy)) {
                        log.debug("the kernel does not permit the policy {} for the compiler's thread {}", policy, id);
                    }
                }
            }
        } catch (IOException e) {
            log.debug("the compiler's threads stay as they are", e);
        }
    }

    /** What the variable says; unknown values are logged and taken as {@code idle}. */
    static boolean givesWay(String said) {
        String word = said == null ? "" : said.strip();
        if (!word.isEmpty() && !word.equals("idle") && !word.equals("busy")) {
            log.warn("{} is '{}': expected idle or busy, taken as idle", VARIABLE, said);
        }
        return !word.equals("busy");
    }
}
