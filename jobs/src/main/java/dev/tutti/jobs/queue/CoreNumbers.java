package dev.tutti.jobs.queue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The cores that this process may use, by their numbers, and the command that holds another process to some of them. */
final class CoreNumbers {
    private static final String PREFIX = "Cpus_allowed_list:";
    private static final Path TASKSET = Path.of("/usr/bin/taskset");

    private CoreNumbers() {}

    /** Empty where the system does not tell, or has no command to hold processes to cores. */
    static List<Integer> allowed() {
        if (!Files.isExecutable(TASKSET)) {
            return List.of();
        }
        try {
            for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
                if (line.startsWith(PREFIX)) {
                    return parse(line.substring(PREFIX.length()).strip());
                }
            }
        } catch (IOException | NumberFormatException e) {
            return List.of();
        }
        return List.of();
    }

    /** Numbers and ranges, such as {@code 0-2,8}. */
    static List<Integer> parse(String list) {
        List<Integer> numbers = new ArrayList<>();
        for (String part : list.split(",")) {
            String[] ends = part.split("-");
            for (int number = Integer.parseInt(ends[0]); number <= Integer.parseInt(ends[ends.length - 1]); number++) {
                numbers.add(number);
            }
        }
        return numbers;
    }

    /** The words before a command that may use these cores only; none for no cores. */
    static List<String> command(String cores) {
        return cores.isEmpty() ? List.of() : List.of(TASKSET.toString(), "-c", cores);
    }
}
