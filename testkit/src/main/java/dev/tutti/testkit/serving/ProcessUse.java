package dev.tutti.testkit.serving;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** What a process holds, as Linux tells it. */
public record ProcessUse(double megabytes, int threads, int files) {
    static ProcessUse of(long pid) {
        Path folder = Path.of("/proc/" + pid);
        try (Stream<String> lines = Files.lines(folder.resolve("status"));
                Stream<Path> open = Files.list(folder.resolve("fd"))) {
            double kilobytes = 0;
            int threads = 0;
            for (String line : lines.toList()) {
                if (line.startsWith("VmRSS:")) {
                    kilobytes = Double.parseDouble(line.replaceAll("[^0-9]", ""));
                } else if (line.startsWith("Threads:")) {
                    threads = Integer.parseInt(line.replaceAll("[^0-9]", ""));
                }
            }
            return new ProcessUse(kilobytes / 1024, threads, (int) open.count());
        } catch (IOException | RuntimeException e) {
            return new ProcessUse(0, 0, 0);
        }
    }

    /** Whether a process that held this before holds no more than what counts as flat. */
    boolean isFlatSince(ProcessUse before) {
        return megabytes <= before.megabytes * 1.15 + 64
                && threads <= before.threads + 16
                && files <= before.files + 64;
    }
}
