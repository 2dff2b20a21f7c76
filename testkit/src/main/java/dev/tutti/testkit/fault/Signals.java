package dev.tutti.testkit.fault;

import dev.tutti.TuttiException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;

/** Sends signals to processes. One shell does it for all of them: starting a process for each would come too late. */
public final class Signals implements AutoCloseable {
    private final Process shell;
    private final Writer orders;
    private final BufferedReader answers;

    public Signals() {
        try {
            shell = new ProcessBuilder("sh").redirectErrorStream(true).start();
        } catch (IOException e) {
            throw new TuttiException("signals are sent by a shell, and 'sh' cannot be started: " + e.getMessage(), e);
        }
        orders = shell.outputWriter(StandardCharsets.UTF_8);
        answers = new BufferedReader(new InputStreamReader(shell.getInputStream(), StandardCharsets.UTF_8));
    }

    /** Returns when the signal is sent; a process that has ended does not mind. */
    public synchronized void send(String signal, long pid) {
        try {
            orders.write("kill -" + signal + " " + pid + " 2>/dev/null; echo sent\n");
            orders.flush();
            answers.readLine();
        } catch (IOException e) {
            throw new TuttiException("the shell that sends signals has ended: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        shell.destroy();
    }
}
