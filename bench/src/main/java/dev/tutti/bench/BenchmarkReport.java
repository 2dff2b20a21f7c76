package dev.tutti.bench;

import java.util.List;

/**
 * What a benchmark found.
 *
 * @param value all of it, in the benchmark's own form, to be written as JSON
 * @param failures what failed, in words; none when all went well
 */
public record BenchmarkReport(Object value, List<String> failures) {
    public BenchmarkReport {
        failures = List.copyOf(failures);
    }
}
