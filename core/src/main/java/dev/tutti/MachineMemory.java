package dev.tutti;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * How much memory this process may have: that of the container where one has a limit, otherwise that of the machine; less where the process
 * has a limit of its own ({@code ulimit -d}, {@code ulimit -v}).
 */
public final class MachineMemory {
    private static final Path LIMITS = Path.of("/proc/self/limits");
    private static final Path STATUS = Path.of("/proc/self/status");

    /** Limits on memory as Linux calls them, and what counts against each. */
    private static final Map<String, String> OF_MEMORY =
            Map.of("Max data size", "VmData:", "Max address space", "VmSize:");

    private MachineMemory() {}

    /** In bytes; empty where the JVM does not know. */
    public static OptionalLong bytes() {
        List<String> limits = lines(LIMITS);
        long own = OF_MEMORY.keySet().stream()
                .mapToLong(kind -> limit(kind, limits))
                .min()
                .orElse(Long.MAX_VALUE);
        long machine = ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
                        && system.getTotalMemorySize() > 0
                ? system.getTotalMemorySize()
                : Long.MAX_VALUE;
        return known(Math.min(own, machine));
    }

    /** What a limit of this process's own leaves of its memory, in bytes; empty where it has none. */
    public static OptionalLong left() {
        return left(lines(LIMITS), lines(STATUS));
    }

    static OptionalLong left(List<String> limits, List<String> status) {
        long least = Long.MAX_VALUE;
        for (Map.Entry<String, String> each : OF_MEMORY.entrySet()) {
            long limit = limit(each.getKey(), limits);
            if (limit < Long.MAX_VALUE) {
                least = Math.min(least, Math.max(0, limit - 1024 * number(each.getValue(), status)));
            }
        }
        return known(least);
    }

    private static OptionalLong known(long bytes) {
        return bytes == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(bytes);
    }

    private static List<String> lines(Path file) {
        try {
            return Files.exists(file) ? Files.readAllLines(file) : List.of();
        } catch (IOException e) {
            return List.of(); // another system
        }
    }

    private static long limit(String kind, List<String> table) {
        long soft = number(kind, table);
        return soft < 0 ? Long.MAX_VALUE : soft;
    }

    /** The first number behind a name; -1 where there is none, such as behind a limit that is "unlimited". */
    private static long number(String name, List<String> table) {
        for (String line : table) {
            if (line.startsWith(name)) {
                String word = line.substring(name.length()).trim().split("\\s+", 2)[0];
                return word.matches("\\d{1,18}") ? Long.parseLong(word) : -1;
            }
        }
        return -1;
    }
}
