package dev.tutti.bench.harness;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Where the numbers were made; without it they mean little.
 *
 * @param pinned whether "one core" was enforced by the system or is only one compute thread
 */
public record Machine(int cores, String cpu, double memoryGb, String system, boolean pinned) {
    public static Machine here() {
        var bean = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        double memory = Math.round(bean.getTotalMemorySize() / 1e8) / 10.0;
        String system = System.getProperty("os.name") + " " + System.getProperty("os.version");
        return new Machine(Cores.ALL.threads(), cpuModel(), memory, system, Cores.canPin());
    }

    private static String cpuModel() {
        try (var lines = Files.lines(Path.of("/proc/cpuinfo"))) {
            return lines.filter(line -> line.startsWith("model name"))
                    .findFirst()
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .orElse(System.getProperty("os.arch"));
        } catch (IOException e) {
            return System.getProperty("os.arch");
        }
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%d cores, %s, %.1f GB, %s%s",
                cores,
                cpu,
                memoryGb,
                system,
                pinned ? "" : " (not pinned: there is no taskset)");
    }
}
