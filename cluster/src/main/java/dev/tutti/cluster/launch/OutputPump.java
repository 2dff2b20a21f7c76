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
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Passes on what a process writes, line by line with a prefix, and remembers the last lines for error messages. */
final class OutputPump {
    private static final int REMEMBERED = 20;
    /** How a line of a stack trace begins that says what was thrown, such as {@code Caused by: java.io.IOException: ...}. */
    private static final Pattern THROWN = Pattern.compile(
            "(?:Exception in thread \".*\" |Caused by: )?((?:[\\w$]+\\.)+[\\w$]*(?:Exception|Error)\\b.*)");

    private static final Pattern FRAME = Pattern.compile("\\s+(at |\\.\\.\\. \\d+ (more|common)).*");
    /** What the log writes before a message. */
    private static final Pattern LOGGED = Pattern.compile("[\\d:.]+ (ERROR|WARN) +(\\S+: )?");

    private static final long LONGEST_WAIT_MILLIS = 2000;

    private final Deque<String> last = new ArrayDeque<>();
    private String reason = "";
    private boolean reasonThrown;
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
        if (line.isBlank() || FRAME.matcher(line).matches()) {
            return;
        }
        Matcher thrown = THROWN.matcher(line);
        if (thrown.matches()) {
            reason = thrown.group(1);
            reasonThrown = true;
        } else if (!reasonThrown || LOGGED.matcher(line).lookingAt()) {
            reason = LOGGED.matcher(line).replaceFirst("");
            reasonThrown = false;
        }
    }

    /** Why the process ended, in its own words: what was thrown last, or else the last line; empty if it said nothing. */
    String reason() {
        last();
        synchronized (this) {
            return reason;
        }
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
