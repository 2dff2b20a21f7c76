package dev.tutti.bench.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A process that is written to and read from, where every wait has a deadline and the end is certain.
 *
 * <p>Two threads empty its outputs, so that it never blocks on a full pipe; the end of standard error is kept for the
 * message if it fails.
 */
final class BenchProcess implements AutoCloseable {
    private static final int LAST_WORDS = 5;

    private final String name;
    private final Process process;
    private final Runnable onClose;
    private final BlockingQueue<Optional<String>> output = new LinkedBlockingQueue<>();
    private final Deque<String> lastWords = new ArrayDeque<>();
    private final Thread errorReader;

    BenchProcess(String name, Process process, Runnable onClose) {
        this.name = name;
        this.process = process;
        this.onClose = onClose;
        read(process.getInputStream(), line -> output.add(Optional.of(line)), () -> output.add(Optional.empty()));
        this.errorReader = read(process.getErrorStream(), this::remember, () -> {});
    }

    /** Sends one line. A process that no longer listens is not an error yet: the missing answer will be. */
    void send(String line) {
        try {
            OutputStream input = process.getOutputStream();
            input.write((line + "\n").getBytes(StandardCharsets.UTF_8));
            input.flush();
        } catch (IOException e) {
            remember("(it no longer read what was sent to it: " + e.getMessage() + ")");
        }
    }

    /** Tells the process that nothing more will be sent. */
    void endInput() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            remember("(its input could not be closed: " + e.getMessage() + ")");
        }
    }

    /** The next line of standard output; none when the process has ended it. */
    Optional<String> nextLine(Deadline deadline) {
        try {
            Optional<String> line = output.poll(deadline.nanosLeft(), TimeUnit.NANOSECONDS);
            if (line == null) {
                throw failure("gave no answer within " + deadline);
            }
            if (line.isEmpty()) {
                output.add(line);
            }
            return line;
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /** Hands over every line until standard output ends. */
    void lines(Deadline deadline, Consumer<String> consumer) {
        Optional<String> line = nextLine(deadline);
        while (line.isPresent()) {
            consumer.accept(line.get());
            line = nextLine(deadline);
        }
    }

    int exitCode(Deadline deadline) {
        try {
            if (!process.waitFor(deadline.nanosLeft(), TimeUnit.NANOSECONDS)) {
                throw failure("did not end within " + deadline);
            }
            errorReader.join(TimeUnit.SECONDS.toMillis(1));
            return process.exitValue();
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /** An exception that says what happened, and the last words of the process. */
    ContenderException failure(String what) {
        synchronized (lastWords) {
            String words = lastWords.isEmpty() ? "" : " Its last words: " + String.join(" | ", lastWords);
            return new ContenderException(name + " " + what + "." + words);
        }
    }

    /** Lets it end by itself for a moment, then kills it and the processes it has started. */
    @Override
    public void close() {
        endInput();
        try {
            if (!process.waitFor(1, TimeUnit.SECONDS)) {
                kill();
            }
        } catch (InterruptedException e) {
            kill();
            Thread.currentThread().interrupt();
        } finally {
            onClose.run();
        }
    }

    /** Ends the process and its children at once. */
    void kill() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    private ContenderException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new ContenderException(name + " was not waited for: the benchmark was interrupted.", e);
    }

    private void remember(String line) {
        synchronized (lastWords) {
            if (line.isBlank()) {
                return;
            }
            lastWords.add(line.strip());
            if (lastWords.size() > LAST_WORDS) {
                lastWords.remove();
            }
        }
    }

    private Thread read(InputStream stream, Consumer<String> onLine, Runnable onEnd) {
        Thread thread = new Thread(
                () -> {
                    try (var reader = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
                        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                            onLine.accept(line);
                        }
                    } catch (IOException e) {
                        remember("(its output broke off: " + e.getMessage() + ")");
                    } finally {
                        onEnd.run();
                    }
                },
                "bench-reads-" + name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }
}
