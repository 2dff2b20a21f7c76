package dev.tutti.bench.federated;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What this process has in memory, as Linux counts it. */
final class ResidentMemory {
    private ResidentMemory() {}

    static double peakMegabytes() {
        return read("VmHWM:");
    }

    static double nowMegabytes() {
        return read("VmRSS:");
    }

    private static double read(String key) {
        try {
            return Files.readAllLines(Path.of("/proc/self/status")).stream()
                    .filter(line -> line.startsWith(key))
                    .map(line -> line.replaceAll("\\D", ""))
                    .mapToDouble(digits -> Double.parseDouble(digits) * 1024 / 1e6)
                    .findFirst()
                    .orElse(Double.NaN);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
