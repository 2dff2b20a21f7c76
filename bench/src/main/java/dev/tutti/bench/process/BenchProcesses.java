package dev.tutti.bench.process;

import dev.tutti.bench.harness.Cores;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Starts processes and sees to it that none outlives the benchmark, however that ends (Ctrl-C too). */
public final class BenchProcesses implements AutoCloseable {
    /** What Tutti sets for itself would tune a peer beyond what its users have. */
    private static final List<String> OUR_SETTINGS =
            List.of("MALLOC_", "GLIBC_", "GOMP_", "OMP_", "KMP_", "OPENBLAS_", "MKL_", "ONEDNN_", "LD_PRELOAD");

    private final Path folder;
    private final Set<BenchProcess> alive = ConcurrentHashMap.newKeySet();
    private final Thread hook = new Thread(this::killAll, "bench-ends-children");
    private boolean closed;

    /** @param folder where commands are run: the project's own */
    public BenchProcesses(Path folder) {
        this.folder = folder;
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Starts a command, held on its core where the race has only one. */
    BenchProcess start(String name, ProcessCommand command, Cores cores) {
        return start(name, command, cores.pinning());
    }

    /** Starts a command with words before it that hold it somewhere. */
    synchronized BenchProcess start(String name, ProcessCommand command, List<String> pinning) {
        if (closed) {
            throw new ContenderException(name + " was not started: the benchmark is ending.");
        }
        List<String> words = new ArrayList<>(pinning);
        words.addAll(command.words());
        ProcessBuilder builder = new ProcessBuilder(words).directory(folder.toFile());
        if (command.ofPeer()) {
            hideOurSettings(builder.environment());
        }
        try {
            BenchProcess[] self = new BenchProcess[1];
            self[0] = new BenchProcess(name, builder.start(), () -> alive.remove(self[0]));
            alive.add(self[0]);
            return self[0];
        } catch (IOException e) {
            throw new ContenderException(name + " could not be started: " + e.getMessage(), e);
        }
    }

    static void hideOurSettings(Map<String, String> environment) {
        environment.keySet().removeIf(key -> OUR_SETTINGS.stream().anyMatch(key::startsWith));
    }

    private synchronized void killAll() {
        closed = true;
        alive.forEach(BenchProcess::kill);
        alive.clear();
    }

    @Override
    public void close() {
        killAll();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The JVM is ending already, and the hook does the same as we did.
        }
    }
}
