package dev.tutti.jobs.queue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The memory that a process and its children take, where the system tells it (Linux). */
final class ProcessMemory {
    private static final long PAGE = 4096;

    private ProcessMemory() {}

    static long megabytes(long pid) {
        long own = resident(pid);
        long children = ProcessHandle.of(pid).stream()
                .flatMap(ProcessHandle::descendants)
                .mapToLong(child -> resident(child.pid()))
                .sum();
        return own + children >> 20;
    }

    private static long resident(long pid) {
        try {
            String[] numbers =
                    Files.readString(Path.of("/proc/" + pid + "/statm")).split(" ");
            return (Long.parseLong(numbers[1]) - Long.parseLong(numbers[2])) * PAGE; // without what is shared
        } catch (IOException | RuntimeException e) {
            return 0;
        }
    }
}
