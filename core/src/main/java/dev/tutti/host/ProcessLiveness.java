package dev.tutti.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Tells whether processes of this machine are alive. */
public final class ProcessLiveness {
    private ProcessLiveness() {}

    /** False once a process has ended, also when its parent has not taken notice yet. */
    public static boolean isAlive(long pid) {
        if (!ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false)) {
            return false;
        }
        try {
            String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
            char state = stat.charAt(stat.lastIndexOf(')') + 2);
            return state != 'Z' && state != 'X';
        } catch (IOException | RuntimeException e) {
            return true; // no such file on this system
        }
    }
}
