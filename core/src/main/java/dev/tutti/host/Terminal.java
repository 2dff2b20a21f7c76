package dev.tutti.host;

import com.sun.jna.NativeLibrary;
import com.sun.jna.Platform;
import java.io.Console;

/** Whether a person watches this process on a terminal. */
public final class Terminal {
    private static final int STANDARD_ERROR = 2;

    private Terminal() {}

    /** Whether standard error, and the input and output with it, is a terminal that can redraw a line. */
    public static boolean showsErrors() {
        return hasConsole() && !"dumb".equals(System.getenv("TERM")) && isTerminal(STANDARD_ERROR);
    }

    private static boolean hasConsole() {
        Console console = System.console();
        if (console == null) {
            return false;
        }
        try { // since JDK 22 there is a console without a terminal as well, and a method to tell
            return (boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (ReflectiveOperationException e) {
            return true;
        }
    }

    private static boolean isTerminal(int descriptor) {
        if (Platform.isWindows()) {
            return true;
        }
        try {
            return NativeLibrary.getInstance("c").getFunction("isatty").invokeInt(new Object[] {descriptor}) == 1;
        } catch (LinkageError | RuntimeException e) {
            return false;
        }
    }
}
