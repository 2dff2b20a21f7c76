package dev.tutti.cluster.launch;

import java.io.IOException;
import java.io.InputStream;

/**
 * Ends this JVM when the one that started it has ended, however that came about: the other side of standard input closes with it,
 * also after kill -9.
 */
final class ParentWatch {
    /** As the shell says of a process whose terminal went away. */
    private static final int HUNG_UP = 129;

    private ParentWatch() {}

    /** From here on no other code reads the stream. */
    static void hold(InputStream input) {
        Thread thread = new Thread(
                () -> {
                    try {
                        while (input.read() >= 0) {
                            // nothing is said here; only the end matters
                        }
                    } catch (IOException e) {
                        // as good as an end
                    }
                    Runtime.getRuntime().halt(HUNG_UP);
                },
                "tutti-lifeline");
        thread.setDaemon(true);
        thread.start();
    }
}
