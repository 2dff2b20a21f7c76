package dev.tutti.io;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;

/** A real file system of one megabyte, in memory. Only root can make one; without it the test is skipped. */
final class TestingSmallDisk implements AutoCloseable {
    private final Path folder;

    private TestingSmallDisk(Path folder) {
        this.folder = folder;
    }

    static TestingSmallDisk at(Path folder) {
        boolean mounted = run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder.toString());
        Assumptions.assumeTrue(mounted, "needs the right to mount a tmpfs");
        return new TestingSmallDisk(folder);
    }

    Path folder() {
        return folder;
    }

    @Override
    public void close() throws IOException {
        if (!run("umount", folder.toString())) {
            throw new IOException("the small disk at " + folder + " cannot be unmounted");
        }
    }

    private static boolean run(String... command) {
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return process.onExit().join().exitValue() == 0;
        } catch (IOException e) {
            return false; // there is no such command
        }
    }
}
