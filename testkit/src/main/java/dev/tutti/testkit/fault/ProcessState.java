package dev.tutti.testkit.fault;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What a process is doing, as the kernel sees it. */
public enum ProcessState {
    RUNNING,
    STOPPED,
    ENDED;

    public static ProcessState of(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
            return switch (stat.charAt(stat.lastIndexOf(')') + 2)) {
                case 'T', 't' -> STOPPED;
                case 'Z', 'X' -> ENDED;
                default -> RUNNING;
            };
        } catch (IOException | RuntimeException e) {
            return ENDED;
        }
    }
}
