package dev.tutti.bench.harness;

import java.util.Locale;

/** Writes measurements with as many digits as they deserve. */
final class Numbers {
    private Numbers() {}

    static String of(double value) {
        double size = Math.abs(value);
        String format = size >= 100 ? "%,.0f" : size >= 10 ? "%.1f" : size >= 1 ? "%.2f" : "%.4f";
        return String.format(Locale.ROOT, format, value);
    }

    static String ratio(double value) {
        return String.format(Locale.ROOT, "%.2f", value);
    }

    static String range(MeasurementSummary summary) {
        return ratio(summary.min()) + "–" + ratio(summary.max());
    }
}
