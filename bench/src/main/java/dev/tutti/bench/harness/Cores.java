package dev.tutti.bench.harness;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** How much of the machine a race has. */
public enum Cores {
    ONE("one core"),
    ALL("all cores");

    private final String label;

    Cores(String label) {
        this.label = label;
    }

    /** The compute threads that fit. */
    public int threads() {
        return this == ONE ? 1 : Runtime.getRuntime().availableProcessors();
    }

    /**
     * The words that go before a command to hold it on its core; none where there is nothing to hold or nothing to
     * hold it with.
     *
     * <p>The last core is taken because the system likes to handle interrupts on the first.
     */
    public List<String> pinning() {
        return this == ALL ? List.of() : pinning(0);
    }

    /** The same for one of several processes that are each to have a core of their own, as far as there are enough. */
    static List<String> pinning(int process) {
        List<Integer> allowed = allowed();
        if (allowed.isEmpty() || !canPin()) {
            return List.of();
        }
        int last = allowed.size() - 1;
        return List.of("taskset", "-c", Integer.toString(allowed.get(last - process % allowed.size())));
    }

    /** Whether processes can be held on one core here. Without it "one core" means one compute thread. */
    static boolean canPin() {
        String path = System.getenv().getOrDefault("PATH", "");
        return Arrays.stream(path.split(File.pathSeparator))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, "taskset")));
    }

    private static List<Integer> allowed() {
        try {
            return Files.readAllLines(Path.of("/proc/self/status")).stream()
                    .filter(line -> line.startsWith("Cpus_allowed_list:"))
                    .findFirst()
                    .map(line -> parse(line.substring(line.indexOf(':') + 1).strip()))
                    .orElse(List.of());
        } catch (IOException e) {
            return List.of();
        }
    }

    /** The numbers in a list such as {@code 0-3,7}. */
    static List<Integer> parse(String list) {
        List<Integer> cpus = new ArrayList<>();
        for (String part : list.split(",")) {
            String[] ends = part.split("-");
            int last = Integer.parseInt(ends[ends.length - 1]);
            for (int cpu = Integer.parseInt(ends[0]); cpu <= last; cpu++) {
                cpus.add(cpu);
            }
        }
        return cpus;
    }

    @Override
    public String toString() {
        return label;
    }
}
