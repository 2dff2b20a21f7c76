package dev.tutti.bench.network;

import dev.tutti.TuttiException;
import dev.tutti.bench.process.ProcessCommand;
import dev.tutti.testkit.NetworkHosts;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Processes on hosts of their own network, of which one writes a result. None outlives this object. */
public final class HostProcesses implements AutoCloseable {
    private static final int MOST_LINES = 12;
    private static final long LAST_LINES_MILLIS = 2000;

    private final NetworkHosts hosts;
    private final Path project;
    private final List<Process> processes = new ArrayList<>();
    private final List<Thread> readers = new ArrayList<>();
    private final Deque<String> last = new ArrayDeque<>();
    private final Thread hook = new Thread(this::kill, "bench-ends-hosts");
    private String result;

    /** @param project the folder that commands are run in */
    public HostProcesses(NetworkHosts hosts, Path project) {
        this.hosts = hosts;
        this.project = project;
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /**
     * Starts a command on a host.
     *
     * @param mark what the line with the result begins with
     */
    public void start(int host, ProcessCommand command, Map<String, String> environment, String mark) {
        List<String> words = new ArrayList<>(hosts.within(host, "host-" + host));
        words.addAll(command.words());
        ProcessBuilder builder =
                new ProcessBuilder(words).directory(project.toFile()).redirectErrorStream(true);
        builder.environment().putAll(environment);
        try {
            Process process = builder.start();
            processes.add(process);
            Thread reader = new Thread(() -> read(process, mark), "bench-host-" + host);
            reader.setDaemon(true);
            reader.start();
            readers.add(reader);
        } catch (IOException e) {
            throw new TuttiException("a process could not be started on a host: " + e.getMessage(), e);
        }
    }

    private void read(Process process, String mark) {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                synchronized (last) {
                    if (line.startsWith(mark)) {
                        result = line.substring(mark.length());
                    } else if (last.size() < MOST_LINES || last.removeFirst() != null) {
                        last.addLast(line);
                    }
                }
            }
        } catch (IOException | UncheckedIOException e) {
            // it has ended
        }
    }

    /**
     * Waits until all have ended.
     *
     * @throws TuttiException if one failed, none wrote a result or the time is over
     */
    public String await(Duration limit) {
        long deadline = System.nanoTime() + limit.toNanos();
        try {
            for (Process process : processes) {
                if (!process.waitFor(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS)) {
                    throw failed("no end within " + limit.toSeconds() + " s");
                }
            }
            for (Thread reader : readers) {
                reader.join(LAST_LINES_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TuttiException("interrupted while hosts were waited for", e);
        }
        synchronized (last) {
            return Optional.ofNullable(result).orElseThrow(() -> failed("no process wrote a result"));
        }
    }

    /** Waits for the result alone: processes of another kind go on until they are ended. */
    public String awaitResult(Duration limit) {
        long deadline = System.nanoTime() + limit.toNanos();
        while (System.nanoTime() < deadline) {
            synchronized (last) {
                if (result != null) {
                    return result;
                }
            }
            if (processes.stream().noneMatch(Process::isAlive)) {
                return await(limit);
            }
            try {
                TimeUnit.MILLISECONDS.sleep(20);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new TuttiException("interrupted while hosts were waited for", e);
            }
        }
        throw failed("no result within " + limit.toSeconds() + " s");
    }

    private TuttiException failed(String what) {
        synchronized (last) {
            return new TuttiException(what + "; the last lines:\n    " + String.join("\n    ", last));
        }
    }

    private void kill() {
        processes.forEach(process -> {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        });
    }

    @Override
    public void close() {
        kill();
        processes.forEach(process -> process.onExit().join());
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // the JVM is ending
        }
    }
}
