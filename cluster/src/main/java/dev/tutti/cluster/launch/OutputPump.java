package dev.tutti.cluster.launch;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;

/** Passes on what a process writes, line by line with a prefix, and remembers the last lines for error messages. */
final class OutputPump {
    private static final int REMEMBERED = 20;
    private static final long LONGEST_WAIT_MILLIS = 2000;

    private final Deque<String> last = new ArrayDeque<>();
    private final Thread thread;

    OutputPump(String prefix, InputStream from, Consumer<String> to) {
        thread = new Thread(() -> pass(prefix, from, to), "tutti-output-" + prefix);
        thread.setDaemon(true);
        thread.start();
    }

    private void pass(String prefix, InputStream from, Consumer<String> to) {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(from, StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                remember(line);
                to.accept("[" + prefix + "] " + line);
            }
        } catch (IOException | UncheckedIOException e) {
            remember("(its output broke off: " + e.getMessage() + ")");
        }
    }

    private synchronized void remember(String line) {
        if (last.size() == REMEMBERED) {
            last.removeFirst();
        }
        last.addLast(line);
    }

    /** The last lines, once the process has ended. */
    List<String> last() {
        try {
            thread.join(LONGEST_WAIT_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        synchronized (this) {
            return List.copyOf(last);
        }
    }
}
