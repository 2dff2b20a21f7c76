package dev.tutti.app;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/**
 * The streams that a command reads and writes.
 *
 * @param outTerminal whether a person sees {@code out} on a terminal that can redraw a line
 * @param errTerminal the same for {@code err}
 * @param colour whether help texts may be coloured
 */
public record Console(
        InputStream in, PrintStream out, PrintStream err, boolean outTerminal, boolean errTerminal, boolean colour) {
    /** The process's own streams, in UTF-8: also in containers that set no locale the terminal at the other end understands it. */
    static Console ofProcess() {
        boolean out = isTerminal("out");
        boolean colour = out && empty(System.getenv("NO_COLOR"));
        boolean outDraws = out && !isDumb();
        boolean errDraws = isTerminal("err") && !isDumb();
        SharedTerminal terminal = new SharedTerminal();
        if (errDraws) {
            System.setErr(stream(FileDescriptor.err, terminal)); // what the log and other JVMs write
        }
        return new Console(
                System.in,
                stream(FileDescriptor.out, outDraws ? terminal : new SharedTerminal()),
                stream(FileDescriptor.err, errDraws ? terminal : new SharedTerminal()),
                outDraws,
                errDraws,
                colour);
    }

    private static PrintStream stream(FileDescriptor descriptor, SharedTerminal terminal) {
        return new PrintStream(terminal.stream(new FileOutputStream(descriptor)), true, StandardCharsets.UTF_8);
    }

    /** The tutti script knows each stream; a JVM that was started without it knows only whether all of them are a terminal. */
    private static boolean isTerminal(String stream) {
        String said = System.getProperty("tutti.terminals");
        return said != null ? Set.of(said.split(",")).contains(stream) : hasConsole();
    }

    private static boolean hasConsole() {
        java.io.Console console = System.console();
        if (console == null) {
            return false;
        }
        try { // since JDK 22 there is a console without a terminal as well, and a method to tell
            return (boolean) java.io.Console.class.getMethod("isTerminal").invoke(console);
        } catch (ReflectiveOperationException e) {
            return true;
        }
    }

    private static boolean isDumb() {
        return "dumb".equals(System.getenv("TERM"));
    }

    private static boolean empty(String value) {
        return value == null || value.isEmpty();
    }
}
